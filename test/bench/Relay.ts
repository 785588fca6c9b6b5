import { Agent, createServer, type IncomingMessage, request as ask, type ServerResponse } from "node:http"
import { listening } from "./Control.ts"
import { encode, start, stop, texts } from "./RelayEvents.ts"

/**
 * The limit: reads the model's event stream and writes ours, by `node:http` alone. No sessions, no store, no checks.
 * `POST /turns/MODEL` answers with events, `POST /none/MODEL` with one JSON body.
 */
const agent = new Agent({ keepAlive: true })
const port = process.argv[2]

/** Calls back with the texts of each read. */
const listen = (model: string, hear: (said: ReadonlyArray<string>) => void, end: () => void): void => {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "Go on." }] })
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
  const request = ask({ agent, port, method: "POST", path: "/v1/chat/completions", headers }, (response) => {
    const read = texts()
    response.on("data", (piece: Buffer) => {
      const said = read(piece)
      if (said.length > 0) hear(said)
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
    (said) => void response.write(encode(said)),
    () => response.end(stop)
  )
}

const whole = (model: string, response: ServerResponse): void => {
  let content = ""
  listen(
    model,
    (said) => {
      content += said.join("")
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
