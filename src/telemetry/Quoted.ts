/** The shortest run of characters that counts as a quotation; shorter texts are hidden where they stand whole. */
const quotation = 12
/** The shortest text that is hidden at all: a shorter one says nothing, and stands in any sentence. */
const shortest = 6

/** What stands where a quotation stood. */
export const mark = "[…]"

interface Run {
  readonly from: number
  readonly to: number
}

/** Where each piece of `shortest` characters stands in a line. */
const index = (line: string): ReadonlyMap<string, ReadonlyArray<number>> => {
  const places = new Map<string, Array<number>>()
  for (let at = 0; at + shortest <= line.length; at++) {
    const piece = line.slice(at, at + shortest)
    const known = places.get(piece)
    if (known === undefined) places.set(piece, [at])
    else known.push(at)
  }
  return places
}

/** The longest run that two texts share around a place of each. */
const around = (line: string, at: number, text: string, place: number): Run => {
  let before = 0
  while (before < at && before < place && line[at - before - 1] === text[place - before - 1]) before++
  let after = shortest
  while (line[at + after] !== undefined && line[at + after] === text[place + after]) after++
  return { from: at - before, to: at + after }
}

const runs = (line: string, texts: Iterable<string>): Array<Run> => {
  const places = index(line)
  const found: Array<Run> = []
  for (const text of texts) {
    const least = Math.min(quotation, text.length)
    // Any run of so many characters holds one of the pieces that a text is made of.
    for (let place = 0; place + shortest <= text.length; place += shortest) {
      for (const at of places.get(text.slice(place, place + shortest)) ?? []) {
        const run = around(line, at, text, place)
        if (run.to - run.from >= least) found.push(run)
      }
    }
  }
  return found.sort((one, other) => one.from - other.from)
}

/**
 * A line without what it quotes of some texts: what a provider, a driver or a tool says of an error may echo what it was given.
 *
 * 1. No twelve characters in a row are those of a text, and no whole text of six to eleven is left.
 * 2. All else stays as it is.
 * 3. It takes time with the length of the texts, and nothing with their number of quotations beyond the line's own length.
 */
export const hide = (line: string, texts: Iterable<string>): string => {
  let hidden = ""
  let at = 0
  for (const { from, to } of runs(line, texts)) {
    if (to <= at) continue
    if (from >= at) hidden += line.slice(at, from) + mark
    at = to
  }
  return hidden + line.slice(at)
}
