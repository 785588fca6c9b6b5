/** The events that a relay begins with. */
export const start = "event: turn_start\ndata: {}\n\n"

/** The events that it ends with. */
export const stop = 'event: turn_stop\ndata: {"stopReason":"end_turn"}\n\n'

interface Chunk {
  readonly choices: ReadonlyArray<{ readonly delta: { readonly content?: string } }>
}

/** Reads a model's stream piece by piece, and gives the texts that it says. */
export const texts = () => {
  const decoder = new TextDecoder()
  let rest = ""
  return (piece: Uint8Array): ReadonlyArray<string> => {
    const parts = (rest + decoder.decode(piece, { stream: true })).split("\n\n")
    rest = parts.pop() ?? ""
    const said: Array<string> = []
    for (const part of parts) {
      if (part === "data: [DONE]") continue
      const content = (JSON.parse(part.slice(6)) as Chunk).choices[0]?.delta.content
      if (content !== undefined) said.push(content)
    }
    return said
  }
}

/** Texts as a relay's events. */
export const encode = (said: ReadonlyArray<string>): string => {
  let events = ""
  for (const delta of said) events += `event: text_delta\ndata: ${JSON.stringify({ delta })}\n\n`
  return events
}

/** Reads a model's stream piece by piece, and gives the events that tell it. */
export const chunks = () => {
  const read = texts()
  return (piece: Uint8Array): string => encode(read(piece))
}
