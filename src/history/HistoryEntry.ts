import { Schema } from "effect"
import { HistoryMessage } from "../protocol/Message.ts"

/**
 * What a provider wants back, untouched, with a block that it made: a thinking signature, an encrypted reasoning item,
 * its own id of a call. `block` is the index of the block in the message's content (0 where the content is a string) that
 * it belongs to or stands before; several items of one block stand in order. Only the provider
 * named in `provider` reads `data`. It never leaves the server.
 */
export const ProviderData = Schema.Struct({
  block: Schema.Int,
  provider: Schema.String,
  data: Schema.Json
})
export type ProviderData = typeof ProviderData.Type

/** A message of the history with the provider data of its blocks. This is what is stored and what a model is fed. */
export const HistoryEntry = Schema.Struct({
  message: HistoryMessage,
  providerData: Schema.optionalKey(Schema.Array(ProviderData))
})
export type HistoryEntry = typeof HistoryEntry.Type

/** An entry with nothing but its message. */
export const make = (message: HistoryMessage): HistoryEntry => ({ message })
