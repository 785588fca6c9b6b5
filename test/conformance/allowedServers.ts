import { type Break, histories, type Json, status, turns } from "./Broken.ts"
import { array, both, object } from "./Change.ts"
import {
  answering,
  showing,
  feeding,
  wording,
  inBlocks,
  withMore,
  passing,
  byCharacter,
  byByte,
  sayingSorry,
  clashing,
  inDeltaAlone
} from "./Variation.ts"

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
    allowed: both(
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
    allowed: both(
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
