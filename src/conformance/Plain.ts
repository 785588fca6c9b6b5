import type { HistoryMessage } from "../protocol/Message.ts"

const plain = (message: HistoryMessage): HistoryMessage => {
  if (typeof message.content === "string") return message
  const [block, ...others] = message.content
  return block?.type === "text" && others.length === 0 ? { ...message, content: block.text } : message
}

/** Messages, each text as a plain string: a server may keep it as one block as well. */
export const plainly = (messages: ReadonlyArray<HistoryMessage>): ReadonlyArray<HistoryMessage> => messages.map(plain)

/** Messages without those of the system: an agent may show its own instructions among them. */
export const spoken = (messages: ReadonlyArray<HistoryMessage>): ReadonlyArray<HistoryMessage> =>
  messages.filter(({ role }) => role !== "system")

/** All that a message says as text, in one. */
export const textOf = ({ content }: HistoryMessage): string =>
  typeof content === "string" ? content : content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

const escapes = /\\(?:u([0-9a-f]{4})|(["\\/bfnrt]))/gi

const letters: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }

const unescaped = (text: string): string =>
  text.replaceAll(escapes, (_, unit: string | undefined, letter: string) =>
    unit === undefined ? (letters[letter] ?? letter) : String.fromCharCode(Number.parseInt(unit, 16))
  )

/** Whether a text has another one in it, as it is or as it is escaped in JSON: a server may put words around it. */
export const tells = (text: string, wanted: string): boolean =>
  text.includes(wanted) || unescaped(text).includes(wanted)
