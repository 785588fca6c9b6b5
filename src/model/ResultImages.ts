import type * as Conversation from "./Conversation.ts"

const images = (results: ReadonlyArray<Conversation.CallResult>): ReadonlyArray<Conversation.Said[number]> =>
  results.flatMap(({ call, content }) => {
    const shown = content.filter((block) => block.type === "image")
    return shown.length === 0 ? [] : [{ type: "text", text: `Images from ${call.name}:` } as const, ...shown]
  })

/** What a result says where it can hold text alone. */
export const text = (content: Conversation.Said): string =>
  content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n\n") || "(see the images that follow)"

/**
 * For providers whose tool results take text alone: the images of results stand in the user's message behind them, or in
 * one of their own.
 */
export const behind = (exchanges: ReadonlyArray<Conversation.Exchange>): ReadonlyArray<Conversation.Exchange> => {
  const spread: Array<Conversation.Exchange> = []
  let shown: ReadonlyArray<Conversation.Said[number]> = []
  for (const exchange of exchanges) {
    const [first, ...rest] = shown
    if (exchange.role === "user") {
      spread.push(first === undefined ? exchange : { role: "user", content: [first, ...rest, ...exchange.content] })
      shown = []
      continue
    }
    if (first !== undefined) spread.push({ role: "user", content: [first, ...rest] })
    spread.push(exchange)
    shown = images(exchange.results)
  }
  const [first, ...rest] = shown
  return first === undefined ? spread : [...spread, { role: "user", content: [first, ...rest] }]
}
