import { Option, Result, Schema } from "effect"
import { ToolSpec } from "../../protocol/Tool.ts"
import type { PageTool } from "./PageTool.ts"

const name = "effect-aap/tools"
const Stored = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ spec: ToolSpec, fixed: Schema.optionalKey(Schema.String) }))
)
const decode = Schema.decodeUnknownOption(Stored)
const encode = Schema.encodeSync(Stored)

/** Where the tools are kept: a tab's `sessionStorage`. */
export type Place = Pick<Storage, "getItem" | "setItem">

/** Keeps the page's tools, with the answers that they give, for the page to have when it is loaded again. */
export const save = (storage: Place, tools: ReadonlyArray<PageTool>): void => {
  // What a full storage does not take is not kept.
  Result.try(() => storage.setItem(name, encode(tools)))
}

/** The tools that were kept; none where something else stands in their place. */
export const load = (storage: Place): ReadonlyArray<PageTool> =>
  Option.getOrElse(decode(storage.getItem(name)), () => [])
