import type { Rule } from "./Rule.ts"
import * as Endpoints from "./rules/Endpoints.ts"
import * as Histories from "./rules/Histories.ts"
import * as Shapes from "./rules/Shapes.ts"
import * as Stops from "./rules/Stops.ts"
import * as Sturdy from "./rules/Sturdy.ts"
import * as Tools from "./rules/Tools.ts"
import * as Turns from "./rules/Turns.ts"

/** All rules, by where they stand in the protocol. */
export const rules: ReadonlyArray<Rule> = [
  ...Endpoints.rules,
  ...Shapes.rules,
  ...Turns.rules,
  ...Tools.rules,
  ...Stops.rules,
  ...Histories.rules,
  ...Sturdy.rules
].toSorted((one, other) => one.section.localeCompare(other.section))
