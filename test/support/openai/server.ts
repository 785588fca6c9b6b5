import { createServer } from "node:http"
import { Option, Schema } from "effect"
import { scenarios } from "./scenarios.ts"
import { flaw, Request } from "./strict.ts"

/**
 * A model server in a process of its own, strict in what it takes and as odd as it is told in what it sends. It says its
 * port to its parent, and ends when its parent does. `GET /aborted` answers with how many requests were cut off.
 */
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Request))
let aborted = 0
const waiting = new Set<() => void>()

const server = createServer((request, response) => {
  if (request.url === "/aborted") {
    const answer = () => response.end(String(aborted))
    if (aborted > 0) answer()
    else waiting.add(answer)
    return
  }
  let body = ""
  request.setEncoding("utf8")
  request.on("data", (piece: string) => {
    body += piece
  })
  request.on("end", () => {
    const decoded = Option.getOrUndefined(decode(body))
    const wrong = decoded === undefined ? "the request does not decode" : flaw(decoded)
    const scenario = scenarios.find(({ name }) => name === decoded?.model)
    if (wrong !== undefined || scenario === undefined) {
      response.writeHead(400, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { message: wrong ?? `no scenario ${decoded?.model}` } }))
      return
    }
    response.on("close", () => {
      if (response.writableFinished || scenario.ends === "cut") return
      aborted++
      for (const answer of waiting) answer()
      waiting.clear()
    })
    response.socket?.setNoDelay(true)
    response.writeHead(scenario.status ?? 200, { "content-type": "text/event-stream", ...scenario.headers })
    response.flushHeaders()
    const write = (index: number): void => {
      const piece = scenario.pieces[index]
      if (piece !== undefined) {
        response.write(piece, () => setImmediate(() => write(index + 1)))
      } else if (scenario.ends === undefined) response.end()
      else if (scenario.ends === "cut") setImmediate(() => response.destroy())
    }
    write(0)
  })
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.send?.(address.port)
})
process.on("disconnect", () => process.exit(0))
