import {
  answering,
  answeringJson,
  type Asked,
  asking,
  type Break,
  histories,
  type Json,
  matches,
  type Place,
  streaming,
  turns
} from "./Broken.ts"

/** A value as an object; of no names where it is none. */
export const object = (value: unknown): Json => (typeof value === "object" && value !== null ? { ...value } : {})
/** A value as a list of objects; empty where it is none. */
export const array = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])

/** Leaves a name out. */
export const without =
  (name: string) =>
  (body: Json): Json =>
    Object.fromEntries(Object.entries(body).filter(([other]) => other !== name))

/** Changes the agent of a request's body. */
export const inAgent =
  (change: (agent: Json) => Json) =>
  (body: Json): Json =>
    body["agent"] === undefined ? body : { ...body, agent: change(object(body["agent"])) }

/** Changes the messages of a body. */
export const messages =
  (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<unknown>) =>
  (body: Json): Json =>
    body["messages"] === undefined ? body : { ...body, messages: change(array(body["messages"])) }

/** Changes what histories show. */
export const history = (change: (messages: ReadonlyArray<Json>) => ReadonlyArray<unknown>): Break =>
  answeringJson(histories, ({ history }) => ({
    history: Object.fromEntries(Object.entries(object(history)).map(([type, list]) => [type, change(array(list))]))
  }))

/** Stops turns for another reason than one. */
export const stopping = (from: string, to: string): Break =>
  answering(turns, ({ text }) => ({ text: text.replace(`"stopReason":"${from}"`, `"stopReason":"${to}"`) }))

/** Trusts, or does not trust, the server tools of every session. */
export const trusting = (trust: boolean): Break =>
  asking(
    "POST /sessions",
    inAgent((agent) => ({ ...agent, tools: array(agent["tools"]).map((tool) => ({ ...tool, trust })) }))
  )

/** Whether an event has this name. */
export const is =
  (name: string) =>
  (event: string): boolean =>
    event.startsWith(`event: ${name}\n`)

/** Gives an event another name. */
export const named =
  (from: string, to: string) =>
  (event: string): string =>
    event.replace(`event: ${from}\n`, `event: ${to}\n`)

/** Whether a message is a tool's. */
export const isTool = ({ role }: Json): boolean => role === "tool"

/** Has the last result of a tool twice. */
export const lastResultTwice = messages((all) => {
  const last = all.findLast(isTool)
  return all.flatMap((message) => (message === last ? [message, message] : [message]))
})

/** Sends an event twice. */
export const twice = (name: string): Break =>
  streaming((events) => events.flatMap((event) => (is(name)(event) ? [event, event] : [event])))

/** Breaks turns in mode `delta` alone. */
export const inDelta =
  (broken: Break): Break =>
  (asked, send) =>
    asked.body?.["stream"] === "delta" ? broken(asked, send) : send(asked)

/** Moves events before the first of another name. */
export const before = (one: string, other: string): Break =>
  streaming((events) => {
    const moved = events.filter(is(one))
    const rest = events.filter((event) => !is(one)(event))
    const at = rest.findIndex(is(other))
    return at === -1 ? events : [...rest.slice(0, at), ...moved, ...rest.slice(at)]
  })

/** Breaks a server in several ways. */
export const both = (...breaks: ReadonlyArray<Break>): Break =>
  breaks.reduceRight((inner, outer) => (asked, send) => outer(asked, (changed) => inner(changed, send)))

/**
 * Breaks a server from a request on: the first of these is 0. The first session of a check and its turn are of no rule:
 * they find out which model the server asks.
 */
export const since = (place: Place, from: number, broken: Break): Break => {
  let count = 0
  return (asked, send) => {
    const isOne = matches(place, asked)
    const before = isOne ? count++ : count - 1
    return before >= from ? broken(asked, send) : send(asked)
  }
}

/** Breaks a server until a request of these has come: the first is 0. */
export const until = (place: Place, index: number, broken: Break): Break => {
  let count = 0
  return (asked, send) => {
    if (matches(place, asked)) count++
    return count <= index ? broken(asked, send) : send(asked)
  }
}

/** Breaks a server at one of these requests alone: the first is 0. */
export const at = (place: Place, index: number, broken: Break): Break => {
  let count = 0
  return (asked, send) => (matches(place, asked) && count++ === index ? broken(asked, send) : send(asked))
}

/** Leaves the blocks of a message that are text. */
export const textOnly = (message: Json): Json =>
  Array.isArray(message["content"])
    ? { ...message, content: array(message["content"]).filter(({ type }) => type === "text") }
    : message

/** Takes images away from what is said. */
export const withoutImages: Break = asking(
  turns,
  messages((all) => all.map(textOnly))
)

/** Changes a text in answers of turns. */
export const telling = (from: string, to: string): Break =>
  answering(turns, ({ text }) => ({ text: text.replaceAll(from, to) }))

/** Answers with JSON of its own, and does nothing. */
export const saying =
  (body: Json): Break =>
  () =>
    Promise.resolve(Response.json(body))

/** Answers with a status of its own, and does nothing. */
export const refusing =
  (status: number): Break =>
  () =>
    Promise.resolve(new Response("{}", { status, headers: { "content-type": "application/json" } }))

/** Does what it is asked, and answers with a status as if it had not. */
export const denying =
  (status: number): Break =>
  async (asked, send) => {
    await (await send(asked)).text()
    return refusing(status)(asked, send)
  }

/** Takes turns in sessions of their own. */
export const elsewhere: Break = async (asked, send) => {
  if (!matches(turns, asked)) return send(asked)
  const fresh = await send({ ...asked, path: "/sessions", body: { agent: { name: "agent" } } })
  const { sessionId } = object(await fresh.json())
  return send({ ...asked, path: `/sessions/${sessionId}/turns` })
}

/** Changes the content of messages that the model is asked with; of those with a role, where one is told. */
export const fed =
  (change: (message: Json) => Json | undefined, role?: string) =>
  (body: Json): Json =>
    messages((all) =>
      all.flatMap((message) => (role === undefined || message["role"] === role ? (change(message) ?? []) : [message]))
    )(body)

/** Changes a text, wherever it stands in some JSON. */
export const retold =
  (from: string, to: string) =>
  (body: Json): Json =>
    object(JSON.parse(JSON.stringify(body).replaceAll(from, to)))

/** Changes messages of some answers in mode `none`. */
export const added = (change: (messages: ReadonlyArray<Json>, body: Json) => ReadonlyArray<unknown>): Break =>
  answeringJson(turns, (body) => ({ ...body, messages: change(array(body["messages"]), body) }))

/** Shows the secret that was set at a place, where answers at another have three stars. */
export const leaking = (from: Place, to: (asked: Asked) => boolean): Break => {
  let secret = "***"
  return async (asked, send) => {
    const token = object(object(asked.body?.["agent"])["options"])["token"]
    if (matches(from, asked) && typeof token === "string") secret = token
    const response = await send(asked)
    return to(asked) ? new Response((await response.text()).replaceAll("***", secret), response) : response
  }
}

/** Answers at once, and says nothing before it has all. */
export const late: Break = async (asked, send) => {
  const response = await send(asked)
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) return response
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      controller.enqueue(new Uint8Array(await response.arrayBuffer()))
      controller.close()
    }
  })
  return new Response(body, response)
}
