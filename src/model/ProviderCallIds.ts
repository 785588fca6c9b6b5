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

const isPlain = (id: string): boolean => /^[\w-]{1,64}$/.test(id)

const free = (used: ReadonlySet<string>): string => {
  for (let count = used.size; ; count++) if (!used.has(`call_${count}`)) return `call_${count}`
}

/**
 * Ids that a provider takes.
 *
 * 1. Each is plain, and no two are the same.
 * 2. It is the provider's own where that is plain and free, else ours, else a number.
 */
export const make = (provider: string, exchanges: ReadonlyArray<Exchange>): CallIds => {
  const ids = new Map<ToolUseBlock, string>()
  const used = new Set<string>()
  for (const exchange of exchanges) {
    if (exchange.role !== "assistant") continue
    for (const spoken of exchange.blocks) {
      if (spoken.block.type !== "tool_use") continue
      const wishes = [...own(provider, spoken), spoken.block.toolCallId]
      const id = wishes.find((wish) => isPlain(wish) && !used.has(wish)) ?? free(used)
      used.add(id)
      ids.set(spoken.block, id)
    }
  }
  return (call) => ids.get(call) ?? call.toolCallId
}
