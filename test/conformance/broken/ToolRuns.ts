import type { Cases } from "../Case.ts"

/** Servers that break the rules of `rules/ToolRuns.ts`. */
export const cases: Cases = {}
