import { Option, Schema } from "effect"
import type { ToolUseBlock } from "../protocol/Content.ts"
import type { Exchange, SpokenBlock } from "./Conversation.ts"

/** The id under which a provider is told of a call. */
export type CallIds = (call: ToolUseBlock) => string

/** A call's data is the provider's id of it, or holds that. */
const decodeId = Schema.decodeUnknownOption(Schema.Union([Schema.String, Schema.Struct({ id: Schema.String })]))

const own = (provider: string, { providerData }: SpokenBlock): ReadonlyArray<string> =>
  providerData.flatMap(({ data, provider: from }) =>
    from === provider ? Option.toArray(Option.map(decodeId(data), (id) => (typeof id === "string" ? id : id.id))) : []
  )

/** Ids that a provider takes: its own, where they are plain and used once; else ours; else a number. */
export const make = (provider: string, exchanges: ReadonlyArray<Exchange>): CallIds => {
  const ids = new Map<ToolUseBlock, string>()
  const used = new Set<string>()
  for (const exchange of exchanges) {
    if (exchange.role !== "assistant") continue
    for (const spoken of exchange.blocks) {
      if (spoken.block.type !== "tool_use") continue
      const wishes = [...own(provider, spoken), spoken.block.toolCallId, `call_${used.size}`, `aap_call_${used.size}`]
      const id = wishes.find((wish) => /^[\w-]{1,64}$/.test(wish) && !used.has(wish)) ?? `aap_call_${used.size}_`
      used.add(id)
      ids.set(spoken.block, id)
    }
  }
  return (call) => ids.get(call) ?? call.toolCallId
}
