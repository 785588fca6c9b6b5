import type { Cases } from "../Case.ts"

/** Servers that break the rules of `rules/Options.ts`. */
export const cases: Cases = {}
