import { Effect, Result, Schema } from "effect"
import * as ClientTool from "../../client/ClientTool.ts"
import { JsonObject } from "../../protocol/Content.ts"
import type { ToolCall, ToolSpec } from "../../protocol/Tool.ts"

/** A tool that the page has: the user answers its calls, or it answers them all alike. */
export interface PageTool {
  readonly spec: ToolSpec
  /** What every call is answered with; the user is asked where there is none. */
  readonly fixed?: string
}

/** What the user typed to define a tool. */
export interface Draft {
  readonly name: string
  readonly description: string
  readonly parameters: string
  readonly isFixed: boolean
  readonly fixed: string
}

/** A tool to begin with. */
export const draft: Draft = {
  name: "",
  description: "",
  parameters:
    '{\n  "type": "object",\n  "properties": {\n    "location": { "type": "string" }\n  },\n  "required": ["location"]\n}',
  isFixed: false,
  fixed: ""
}

const decodeParameters = Schema.decodeResult(Schema.fromJsonString(JsonObject))

/** The tool that a draft defines, given the names that are taken; else what is wrong with it. */
export const fromDraft = (draft: Draft, taken: ReadonlyArray<string>): Result.Result<PageTool, string> => {
  const name = draft.name.trim()
  if (name === "") return Result.fail("The tool needs a name.")
  if (taken.includes(name)) return Result.fail(`There is a tool ${name} already.`)
  return Result.mapBoth(decodeParameters(draft.parameters), {
    onFailure: () => "The parameters are no JSON object; give a JSON Schema of an object.",
    onSuccess: (parameters) => ({
      spec: { name, description: draft.description.trim(), parameters },
      ...(draft.isFixed ? { fixed: draft.fixed } : {})
    })
  })
}

/** The tools of a session that was begun elsewhere: the page's own where it has them; the user answers for the others. */
export const adopt = (specs: ReadonlyArray<ToolSpec>, own: ReadonlyArray<PageTool>): ReadonlyArray<PageTool> =>
  specs.map((spec) => ({ ...own.find((tool) => tool.spec.name === spec.name), spec }))

/** The tool as a session runs it. */
export const run =
  (ask: (call: ToolCall) => Effect.Effect<string>) =>
  ({ fixed, spec }: PageTool): ClientTool.ClientTool =>
    ClientTool.fromJsonSchema({
      ...spec,
      handler: (_, call) => (fixed === undefined ? ask(call) : Effect.succeed(fixed))
    })
