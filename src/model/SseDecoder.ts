/** How far a stream of server-sent events has been read. */
export interface SseDecoder {
  /** Takes the next characters and gives the data of the events that they complete. */
  readonly feed: (text: string) => ReadonlyArray<string>
  /** How many characters wait for the end of their event. */
  readonly pending: () => number
  /** The data of an event that the stream ended in, if any. */
  readonly end: () => ReadonlyArray<string>
}

/**
 * Reads the `data` of server-sent events, however the stream is cut: lines end with CR, LF or CRLF, comments and other
 * fields are passed over, several data lines are one, and the last event may lack its blank line.
 */
export const make = (): SseDecoder => {
  let rest = ""
  let data: Array<string> = []
  let held = 0
  let afterCr = false

  const line = (text: string, events: Array<string>): void => {
    if (text === "") {
      if (data.length > 0) events.push(data.length === 1 ? (data[0] ?? "") : data.join("\n"))
      data = []
      held = 0
    } else if (text.startsWith("data:")) {
      data.push(text.slice(text.charCodeAt(5) === 0x20 ? 6 : 5))
      held += text.length
    } else if (text === "data") data.push("")
  }

  const feed = (text: string): ReadonlyArray<string> => {
    const events: Array<string> = []
    const piece = afterCr && text.startsWith("\n") ? text.slice(1) : text
    if (text !== "") afterCr = false
    let start = 0
    let lf = piece.indexOf("\n")
    let cr = piece.indexOf("\r")
    while (lf >= 0 || cr >= 0) {
      const isLf = cr < 0 || (lf >= 0 && lf < cr)
      const at = isLf ? lf : cr
      line(rest + piece.slice(start, at), events)
      rest = ""
      start = at + 1
      if (isLf) lf = piece.indexOf("\n", start)
      else {
        if (start === piece.length) afterCr = true
        else if (lf === start) lf = piece.indexOf("\n", ++start)
        cr = piece.indexOf("\r", start)
      }
    }
    rest += piece.slice(start)
    return events
  }

  return { feed, pending: () => held + rest.length, end: () => feed("\n\n") }
}
