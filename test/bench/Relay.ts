import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http"
import { listening } from "./Control.ts"

/**
 * The limit: reads the model's event stream and writes ours, by `node:http` alone. No sessions, no store, no checks.
 * `POST /turns/MODEL` answers with events, `POST /none/MODEL` with one JSON body.
 */
const agent = new Agent({ keepAlive: true })
const port = process.argv[2]

const start = "event: turn_start\ndata: {}\n\n"
const stop = 'event: turn_stop\ndata: {"stopReason":"end_turn"}\n\n'

interface Chunk {
  readonly choices: ReadonlyArray<{ readonly delta: { readonly content?: string } }>
}

/** Calls back with the deltas of each read. */
const listen = (model: string, hear: (deltas: ReadonlyArray<string>) => void, end: () => void): void => {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Go on." }] })
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  const request = ask({ agent, port, method: "POST", path: "/v1/chat/completions", headers }, (response) => {
    const text = new TextDecoder()
    let rest = ""
    response.on("data", (piece: Buffer) => {
      const parts = (rest + text.decode(piece, { stream: true })).split("\n\n")
      rest = parts.pop() ?? ""
      const deltas: Array<string> = []
      for (const part of parts) {
        if (part === "data: [DONE]") continue
        const content = (JSON.parse(part.slice(6)) as Chunk).choices[0]?.delta.content
        if (content !== undefined) deltas.push(content)
      }
      if (deltas.length > 0) hear(deltas)
    })
    response.on("end", end)
  })
  request.end(body)
}

const relay = (model: string, response: ServerResponse): void => {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache, no-transform" })
  response.write(start)
  listen(
    model,
    (deltas) => {
      let events = ""
      for (const delta of deltas) events += `event: text_delta\ndata: ${JSON.stringify({ delta })}\n\n`
      response.write(events)
    },
    () => response.end(stop)
  )
}

const whole = (model: string, response: ServerResponse): void => {
  let content = ""
  listen(
    model,
    (deltas) => {
      content += deltas.join("")
    },
    () => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ stopReason: "end_turn", messages: [{ role: "assistant", content }] }))
    }
  )
}

const handle = (request: IncomingMessage, response: ServerResponse): void => {
  const [, kind, model = ""] = (request.url ?? "").split("/")
  request.resume()
  request.on("end", () => (kind === "none" ? whole : relay)(model, response))
}

const server = createServer({ noDelay: true, keepAlive: true }, handle)
server.keepAliveTimeout = 60_000
listening(server)
