import { Option, Schema } from "effect"

const Text = Schema.StringFromBase64Url
const encodeText = Schema.encodeSync(Text)
const decodeText = Schema.decodeOption(Text)

/** The opaque cursor of a place in a list. */
export const encode = (sequence: number): string => encodeText(`s${sequence}`)

/** The place of a cursor; `undefined` where the text is none that {@link encode} makes. */
export const decode = (cursor: string): number | undefined => {
  const sequence = Number(Option.getOrElse(decodeText(cursor), () => "").slice(1))
  return Number.isSafeInteger(sequence) && encode(sequence) === cursor ? sequence : undefined
}
