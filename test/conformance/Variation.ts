import { type Asked, type Break, histories, type Json, matches, type Place, turns } from "./Broken.ts"
import { array, both, object } from "./Change.ts"

const json = { "content-type": "application/json" }

const isOf = (type: string, response: Response): boolean =>
  response.headers.get("content-type")?.startsWith(type) === true

/** Changes what is answered as JSON; a stream is not waited for. */
export const answering =
  (place: Place, change: (body: Json) => unknown): Break =>
  async (asked, send) => {
    const response = await send(asked)
    return matches(place, asked) && isOf("application/json", response)
      ? new Response(JSON.stringify(change(object(await response.json()))), response)
      : response
  }

/** Changes what histories show. */
export const showing = (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<Json>): Break =>
  answering(histories, (body) => ({
    ...body,
    history: Object.fromEntries(
      Object.entries(object(body["history"])).map(([type, messages]) => [type, change(array(messages))])
    )
  }))

/** Changes the messages that the model is asked with. */
export const feeding =
  (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<Json>) =>
  (body: Json): Json => ({ ...body, messages: change(array(body["messages"])) })

/** Changes the texts of messages with a role, as the model is asked with them. */
export const wording = (role: string, change: (text: string) => string) =>
  feeding((messages) =>
    messages.map((message) =>
      message["role"] === role && typeof message["content"] === "string"
        ? { ...message, content: change(message["content"]) }
        : message
    )
  )

/** A message with its text as a block. */
export const inBlocks = (message: Json): Json =>
  typeof message["content"] === "string" && message["role"] !== "system"
    ? { ...message, content: [{ type: "text", text: message["content"] }] }
    : message

/** What is of another shape than the protocol's own: names in it are the application's, or the agent's. */
const open = ["input", "parameters", "options"]

/** Some JSON with a field more in each of its objects. */
export const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).map(([name, inner]) => [name, open.includes(name) ? inner : withMore(inner)])
  return { ...Object.fromEntries(known), x_more: { of: ["it"] } }
}

/** Sends each event of a stream on as it comes, changed. */
export const passing =
  (change: (event: string, asked: Asked) => string): Break =>
  async (asked, send) => {
    const response = await send(asked)
    if (!isOf("text/event-stream", response) || response.body === null) return response
    let text = ""
    const changed = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TransformStream<string, string>({
        transform: (piece, controller) => {
          const events = `${text}${piece}`.split(/(?<=\n\n)/)
          text = events.at(-1)?.endsWith("\n\n") === true ? "" : (events.pop() ?? "")
          for (const event of events) controller.enqueue(change(event, asked))
        }
      })
    )
    return new Response(changed.pipeThrough(new TextEncoderStream()), response)
  }

const deltaOf = (event: string): string | undefined => {
  const [, data] = /^event: text_delta\ndata: (.*)$/m.exec(event) ?? []
  return data === undefined ? undefined : String(object(JSON.parse(data))["delta"])
}

/** A delta as one for each of its characters. */
export const byCharacter = (event: string): string => {
  const delta = deltaOf(event)
  return delta === undefined
    ? event
    : [...delta].map((delta) => `event: text_delta\ndata: ${JSON.stringify({ delta })}\n\n`).join("")
}

/** Sends a stream on byte by byte. */
export const byByte: Break = async (asked, send) => {
  const response = await send(asked)
  const bytewise = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (piece, controller) => {
        for (let at = 0; at < piece.length; at++) controller.enqueue(piece.slice(at, at + 1))
      }
    })
  )
  return bytewise === undefined ? response : new Response(bytewise, response)
}

const sorry = "I am sorry, that went wrong."

/** Says that a turn went wrong before it stops with `error`. */
export const sayingSorry = both(
  passing((event, { body }) => {
    if (!event.includes('"stopReason":"error"')) return event
    const told = body?.["stream"] === "delta" ? ["text_delta", { delta: sorry }] : ["text", { text: sorry }]
    return `event: ${String(told[0])}\ndata: ${JSON.stringify(told[1])}\n\n${event}`
  }),
  answering(turns, (body) =>
    body["stopReason"] === "error"
      ? { ...body, messages: [...array(body["messages"]), { role: "assistant", content: sorry }] }
      : body
  )
)

/** Opens sessions where two tools have one name, and refuses their turns. */
export const clashing = (): Break => {
  const clashes = new Set<string>()
  const isClash = ({ body }: Asked) => {
    const own = array(object(body?.["agent"])["tools"]).map(({ name }) => name)
    return array(body?.["tools"]).some(({ name }) => own.includes(name))
  }
  return async (asked, send) => {
    const id = /^\/sessions\/([^/]+)\/turns$/.exec(asked.path)?.[1] ?? ""
    if (clashes.has(id)) return new Response("{}", { status: 422, headers: json })
    if (!matches("POST /sessions", asked) || !isClash(asked)) return send(asked)
    const { tools: _, ...body } = asked.body ?? {}
    const response = await send({ ...asked, body })
    clashes.add(String(object(await response.clone().json())["sessionId"]))
    return response
  }
}

/** Declares one way of answering, and refuses turns in others. */
export const inDeltaAlone: Break = both(
  (asked, send) =>
    matches(turns, asked) && asked.body?.["stream"] !== "delta"
      ? Promise.resolve(new Response("{}", { status: 422, headers: json }))
      : send(asked),
  answering("GET /meta", (meta) => ({
    ...meta,
    agents: array(meta["agents"]).map((agent) => ({
      ...agent,
      capabilities: { ...object(agent["capabilities"]), stream: { delta: {} } }
    }))
  }))
)
