/** A request as a broken server reads it; `body` is JSON, and what is changed there is what is sent on. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly body: Json | undefined
  readonly key: string | undefined
}

/** JSON of any shape, as breaking it needs no more. */
export type Json = { readonly [name: string]: unknown }

/** Sends a request on to the sound server. */
export type Send = (asked: Asked) => Promise<Response>

/** A server that breaks a rule: it answers requests by a sound server's answers. */
export type Break = (asked: Asked, send: Send) => Promise<Response>

const own = "the-key-of-the-check"

/** The `fetch` of a program that is given a broken server in place of the one at `baseUrl`. */
export const fetchOf =
  (baseUrl: string, broken: Break): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const url = String(input)
    if (!url.startsWith(baseUrl)) return fetch(input, init)
    const send: Send = ({ body, key, method, path }) =>
      fetch(`${baseUrl}${path}`, {
        ...(init.signal === undefined ? {} : { signal: init.signal }),
        method,
        headers: {
          ...(body === undefined ? {} : { "content-type": "application/json" }),
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    const text = init.body instanceof Uint8Array ? new TextDecoder().decode(init.body) : init.body
    const authorization = new Headers(init.headers).get("authorization")
    return broken(
      {
        method: init.method ?? "GET",
        path: url.slice(baseUrl.length),
        body: typeof text === "string" ? JSON.parse(text) : undefined,
        key: authorization?.slice("Bearer ".length)
      },
      send
    )
  }

/** Which requests are meant: `POST /sessions`, with a star for an id and for what follows it. */
export type Place = `${string} /${string}`

/** Whether a request is one of these. */
export const matches = (place: Place, { method, path }: Asked): boolean => {
  const pattern = place.replaceAll(/[?.]/g, "\\$&").replaceAll("*", "[^/?]+")
  return new RegExp(`^${pattern}(?:\\?.*)?$`).test(`${method} ${path}`)
}

/** Every turn. */
export const turns: Place = "POST /sessions/*/turns"
/** Every history. */
export const histories: Place = "GET /sessions/*/history"

/** Changes what is asked. */
export const asking =
  (place: Place, change: (body: Json) => Json): Break =>
  (asked, send) =>
    send(matches(place, asked) && asked.body !== undefined ? { ...asked, body: change(asked.body) } : asked)

/** Changes what is answered, whole; an answer that is not JSON has a body of no names. */
export const answering =
  (
    place: Place,
    change: (
      answer: { readonly status: number; readonly text: string; readonly type: string },
      asked: Asked
    ) => {
      readonly status?: number
      readonly text?: string
      readonly type?: string
    }
  ): Break =>
  async (asked, send) => {
    const response = await send(asked)
    if (!matches(place, asked)) return response
    const answer = {
      status: response.status,
      text: await response.text(),
      type: response.headers.get("content-type") ?? ""
    }
    const changed = { ...answer, ...change(answer, asked) }
    return new Response(changed.status === 204 ? null : changed.text, {
      status: changed.status,
      headers: { "content-type": changed.type }
    })
  }

/** Changes the JSON of answers that succeed. */
export const answeringJson = (place: Place, change: (body: Json, asked: Asked) => unknown): Break =>
  answering(place, ({ status, text, type }, asked) =>
    status < 300 && type.startsWith("application/json") ? { text: JSON.stringify(change(JSON.parse(text), asked)) } : {}
  )

/** Changes the events of turns, each as it stood on the wire, with its blank line. */
export const streaming = (change: (events: ReadonlyArray<string>) => ReadonlyArray<string>): Break =>
  answering(turns, ({ text, type }) =>
    type.startsWith("text/event-stream") ? { text: change(text.split(/(?<=\n\n)/)).join("") } : {}
  )

/** Answers with another status in place of one. */
export const status = (place: Place, from: number, to: number): Break =>
  answering(place, (answer) => (answer.status === from ? { status: to } : {}))

/** The key that the sound server knows. */
export const knownKey = own
