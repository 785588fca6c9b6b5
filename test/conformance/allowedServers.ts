import { type Asked, type Break, histories, type Json, matches, type Place, status, turns } from "./Broken.ts"

/** A server that does other than ours where the protocol lets it. */
export interface AllowedServer {
  readonly does: string
  /** How its answers differ from those of our own server. */
  readonly allowed?: Break
  /** What it asks the model in place of what our own server asks. */
  readonly model?: (body: Json) => Json
  /** The rules that have something to say of the difference; every rule, where none are told. */
  readonly only?: ReadonlyArray<string>
  /** Whether those rules have nothing to say then. */
  readonly silent?: true
}

const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})
const array = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

const json = { "content-type": "application/json" }

const isOf = (type: string, response: Response): boolean =>
  response.headers.get("content-type")?.startsWith(type) === true

/** Changes what is answered as JSON; a stream is not waited for. */
const answering =
  (place: Place, change: (body: Json) => unknown): Break =>
  async (asked, send) => {
    const response = await send(asked)
    return matches(place, asked) && isOf("application/json", response)
      ? new Response(JSON.stringify(change(object(await response.json()))), response)
      : response
  }

/** Changes what histories show. */
const showing = (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<Json>): Break =>
  answering(histories, (body) => ({
    ...body,
    history: Object.fromEntries(
      Object.entries(object(body["history"])).map(([type, messages]) => [type, change(array(messages))])
    )
  }))

/** Changes the messages that the model is asked with. */
const feeding =
  (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<Json>) =>
  (body: Json): Json => ({ ...body, messages: change(array(body["messages"])) })

/** Changes the texts of messages with a role, as the model is asked with them. */
const wording = (role: string, change: (text: string) => string) =>
  feeding((messages) =>
    messages.map((message) =>
      message["role"] === role && typeof message["content"] === "string"
        ? { ...message, content: change(message["content"]) }
        : message
    )
  )

const inBlocks = (message: Json): Json =>
  typeof message["content"] === "string" && message["role"] !== "system"
    ? { ...message, content: [{ type: "text", text: message["content"] }] }
    : message

/** What is of another shape than the protocol's own: names in it are the application's, or the agent's. */
const open = ["input", "parameters", "options"]

/** Some JSON with a field more in each of its objects. */
const withMore = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withMore)
  if (typeof value !== "object" || value === null) return value
  const known = Object.entries(value).map(([name, inner]) => [name, open.includes(name) ? inner : withMore(inner)])
  return { ...Object.fromEntries(known), x_more: { of: ["it"] } }
}

/** Changes what is answered in one way after the other. */
const inTurn = (...ways: ReadonlyArray<Break>): Break =>
  ways.reduce((inner, outer) => (asked, send) => outer(asked, (same) => inner(same, send)))

/** Sends each event of a stream on as it comes, changed. */
const passing =
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
const byCharacter = (event: string): string => {
  const delta = deltaOf(event)
  return delta === undefined
    ? event
    : [...delta].map((delta) => `event: text_delta\ndata: ${JSON.stringify({ delta })}\n\n`).join("")
}

/** Sends a stream on byte by byte. */
const byByte: Break = async (asked, send) => {
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
const sayingSorry = inTurn(
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

/** The tools that a session was opened with, by its id, where one of them has the name of a server tool. */
const clashing = (): Break => {
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
const inDeltaAlone: Break = inTurn(
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

const denied = /^(Tool call denied): (.*)$/

/** All servers that are to pass. */
export const allowedServers: ReadonlyArray<AllowedServer> = [
  { does: "histories have blocks in place of strings", allowed: showing((messages) => messages.map(inBlocks)) },
  {
    does: "histories have blocks of its own beside the protocol's",
    allowed: showing((messages) =>
      messages.map(inBlocks).map((message) => {
        const { content } = message
        return Array.isArray(content) ? { ...message, content: [...content, { type: "x_source", at: 1 }] } : message
      })
    )
  },
  {
    does: "a denial in the history is of two blocks",
    allowed: showing((messages) =>
      messages.map((message) => {
        const [, first, reason] = denied.exec(String(message["content"])) ?? []
        if (first === undefined) return message
        return { ...message, content: [first, reason].map((text) => ({ type: "text", text })) }
      })
    ),
    only: ["denied-call", "granted-beside-denied"]
  },
  {
    does: "histories begin with the agent's own instructions",
    allowed: showing((messages) => [{ role: "system", content: "You are checked." }, ...messages])
  },
  {
    does: "answers have more fields than the protocol's",
    allowed: inTurn(
      answering("GET /*", withMore),
      answering("GET /sessions/*", withMore),
      answering(histories, withMore),
      answering("POST /sessions", withMore),
      answering(turns, withMore),
      passing((event) =>
        event.replace(/^data: (.*)$/m, (_, data: string) => `data: ${JSON.stringify(withMore(JSON.parse(data)))}`)
      )
    )
  },
  {
    does: "streams have events of its own, and comments",
    allowed: passing((event) =>
      event.startsWith("event: turn_start") ? `${event}: still here\n\nevent: x_usage\ndata: {"n":1}\n\n` : event
    )
  },
  { does: "deltas are of one character each", allowed: passing(byCharacter) },
  { does: "bytes come one by one", allowed: byByte, only: ["deltas-at-once", "disconnect", "unicode"] },
  { does: "a turn that fails says so before it stops", allowed: sayingSorry },
  {
    does: "what is asked without a key, or with another one, is forbidden",
    allowed: inTurn(
      status("GET /*", 401, 403),
      status("POST /*", 401, 403),
      status("GET /sessions/*", 401, 403),
      status(histories, 401, 403),
      status(turns, 401, 403),
      status("DELETE /sessions/*", 401, 403)
    ),
    only: ["authorization"]
  },
  { does: "two tools of one name are refused by the turn alone", allowed: clashing(), only: ["unique-names"] },
  {
    does: "one way of answering is declared, and the others are refused",
    allowed: inDeltaAlone,
    only: ["unknown-session", "turns-one-by-one", "answered-once", "agent-name", "authorization"]
  },
  {
    does: "the model is told what was said with a word before it",
    model: (body) => wording("assistant", (text) => `You: ${text}`)(wording("user", (text) => `They: ${text}`)(body))
  },
  {
    does: "the model is told results as JSON, with a word before",
    model: wording("tool", (text) => `It gave ${JSON.stringify(text)}.`)
  },
  {
    does: "the model is told results as JSON of ASCII alone",
    model: wording("tool", (text) =>
      JSON.stringify({ result: text }).replaceAll(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
    )
  },
  {
    does: "the model is told something behind what was said",
    model: feeding((messages) => [...messages, { role: "system", content: "Be brief." }])
  },
  {
    does: "the model is reminded of something as if by a user",
    model: feeding((messages) => [...messages, { role: "user", content: "(Be brief.)" }])
  },
  {
    does: "the model is told the instructions as a developer",
    model: feeding((messages) =>
      messages.map((message) => (message["role"] === "system" ? { ...message, role: "developer" } : message))
    )
  },
  {
    does: "an image that cannot be fetched is told of in words",
    model: feeding((messages) =>
      messages.map((message) => ({
        ...message,
        content: Array.isArray(message["content"])
          ? array(message["content"]).map((part) =>
              part["type"] === "image_url"
                ? { type: "text", text: `(There is no image at ${object(part["image_url"])["url"]}.)` }
                : part
            )
          : message["content"]
      }))
    ),
    only: ["http-images"],
    silent: true
  },
  {
    does: "the model is told one answer of its own in two messages",
    model: feeding((messages) =>
      messages.flatMap((message) =>
        message["tool_calls"] === undefined || typeof message["content"] !== "string"
          ? [message]
          : [
              { role: "assistant", content: message["content"] },
              { ...message, content: null }
            ]
      )
    ),
    only: ["text-beside-calls", "resume"]
  },
  {
    does: "the model is told what two users said as one message",
    model: feeding((messages) =>
      messages.flatMap((message, at) => {
        if (message["role"] !== "user") return [message]
        if (messages[at + 1]?.["role"] === "user") return []
        const before = messages[at - 1]
        const content =
          before?.["role"] === "user" ? `${before["content"]}\n\n${message["content"]}` : message["content"]
        return [{ ...message, content }]
      })
    ),
    only: ["two-user-messages"]
  },
  {
    does: "a model is asked for its answer whole, and fails",
    model: (body) => ({ ...body, stream: false }),
    only: ["error-midway"]
  }
]
