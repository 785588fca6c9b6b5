import type { Cases } from "../Case.ts"

/** Servers that break the rules of `rules/OpenCalls.ts`. */
export const cases: Cases = {}
