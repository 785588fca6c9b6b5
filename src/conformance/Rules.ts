import type { Rule } from "./Rule.ts"
import * as Capabilities from "./rules/Capabilities.ts"
import * as Endpoints from "./rules/Endpoints.ts"
import * as Histories from "./rules/Histories.ts"
import * as Images from "./rules/Images.ts"
import * as Messages from "./rules/Messages.ts"
import * as OpenCalls from "./rules/OpenCalls.ts"
import * as Options from "./rules/Options.ts"
import * as Shapes from "./rules/Shapes.ts"
import * as Stops from "./rules/Stops.ts"
import * as Sturdy from "./rules/Sturdy.ts"
import * as ToolRuns from "./rules/ToolRuns.ts"
import * as Tools from "./rules/Tools.ts"
import * as Turns from "./rules/Turns.ts"
import { sections } from "./Section.ts"

/** All rules, by where they stand in the protocol. */
export const rules: ReadonlyArray<Rule> = [
  ...Endpoints.rules,
  ...Shapes.rules,
  ...Capabilities.rules,
  ...Options.rules,
  ...Images.rules,
  ...Messages.rules,
  ...Turns.rules,
  ...Tools.rules,
  ...ToolRuns.rules,
  ...OpenCalls.rules,
  ...Stops.rules,
  ...Histories.rules,
  ...Sturdy.rules
].toSorted((one, other) => sections.indexOf(one.section) - sections.indexOf(other.section))
