import type { Case } from "./Case.ts"
import { cases as capabilities } from "./broken/Capabilities.ts"
import { cases as endpoints } from "./broken/Endpoints.ts"
import { cases as histories } from "./broken/Histories.ts"
import { cases as images } from "./broken/Images.ts"
import { cases as messages } from "./broken/Messages.ts"
import { cases as openCalls } from "./broken/OpenCalls.ts"
import { cases as options } from "./broken/Options.ts"
import { cases as shapes } from "./broken/Shapes.ts"
import { cases as stops } from "./broken/Stops.ts"
import { cases as sturdy } from "./broken/Sturdy.ts"
import { cases as toolRuns } from "./broken/ToolRuns.ts"
import { cases as tools } from "./broken/Tools.ts"
import { cases as turns } from "./broken/Turns.ts"

/** All broken servers, each with the rule that it breaks. */
export const brokenServers: ReadonlyArray<Case & { readonly rule: string }> = [
  capabilities,
  endpoints,
  histories,
  images,
  messages,
  openCalls,
  options,
  shapes,
  stops,
  sturdy,
  toolRuns,
  tools,
  turns
].flatMap((cases) => Object.entries(cases).flatMap(([rule, cases]) => cases.map((one) => ({ ...one, rule }))))
