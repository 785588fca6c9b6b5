import type { Cases } from "../Case.ts"

/** Servers that break the rules of `rules/Messages.ts`. */
export const cases: Cases = {}
