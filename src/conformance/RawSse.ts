import { Result, Schema } from "effect"

/** An event as it stood on the wire: its name, and its data as JSON. */
export interface RawEvent {
  readonly event: string
  readonly data: unknown
}

const parseJson = Schema.decodeResult(Schema.fromJsonString(Schema.Unknown))

const one = (lines: ReadonlyArray<string>, field: string): Result.Result<string, string> => {
  const found = lines.filter((line) => line.startsWith(`${field}:`))
  const [line] = found
  if (line === undefined || found.length > 1) {
    return Result.fail(`an event has ${found.length} lines of ${field}, not one: ${JSON.stringify(lines.join("\n"))}`)
  }
  return Result.succeed(line.slice(field.length + 1).replace(/^ /, ""))
}

const toEvent = (lines: ReadonlyArray<string>): Result.Result<RawEvent, string> =>
  Result.gen(function* () {
    const other = lines.find((line) => !/^(?:event|data):/.test(line))
    if (other !== undefined) return yield* Result.fail(`a line is neither event nor data: ${JSON.stringify(other)}`)
    const event = yield* one(lines, "event")
    const text = yield* one(lines, "data")
    const data = yield* Result.mapError(
      parseJson(text),
      () => `the data of ${event} is no JSON: ${JSON.stringify(text)}`
    )
    return { event, data }
  })

/**
 * The events of a body, by the framing that the protocol has: an `event:` line, one `data:` line of JSON, a blank line.
 * Comments are no events. Else what is wrong.
 */
export const read = (bytes: Uint8Array): Result.Result<ReadonlyArray<RawEvent>, string> => {
  const text = Result.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes))
  if (Result.isFailure(text)) return Result.fail("the body is not UTF-8")
  const lines = text.success.split(/\r\n|\n|\r/)
  if (lines.at(-1) !== "") return Result.fail(`the body ends within a line: ${JSON.stringify(lines.at(-1))}`)
  const blocks: Array<ReadonlyArray<string>> = []
  let block: Array<string> = []
  for (const line of lines.slice(0, -1)) {
    if (line.startsWith(":")) continue
    if (line !== "") block.push(line)
    else {
      if (block.length > 0) blocks.push(block)
      block = []
    }
  }
  return block.length > 0
    ? Result.fail(`the last event has no blank line behind it: ${JSON.stringify(block.join("\n"))}`)
    : Result.all(blocks.map(toEvent))
}
