import type { Cases } from "../Case.ts"

/** Servers that break the rules of `rules/Capabilities.ts`. */
export const cases: Cases = {}
