import { Option, Schema } from "effect"
import type { SpokenBlock } from "./Conversation.ts"

/** Data that is of one model. */
interface OfModel {
  readonly model: string
}

/**
 * Reads what a provider gave to be kept with a block: of this shape, of this model, in order. What another provider or
 * another model gave is not seen.
 */
export const reader = <A extends OfModel>(provider: string, schema: Schema.ConstraintCodec<A, unknown>) => {
  const decode = Schema.decodeUnknownOption(schema)
  return ({ providerData }: SpokenBlock, model: string): ReadonlyArray<A> =>
    providerData
      .flatMap(({ data, provider: from }) => (from === provider ? Option.toArray(decode(data)) : []))
      .filter((data) => data.model === model)
}
