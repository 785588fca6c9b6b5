import { createServer } from "node:http"
import type { Json } from "./dialect.ts"
import { dialects, scripts } from "./scripts.ts"

/**
 * A model server of one provider, in a process of its own: strict in what it takes, and as odd as its script says in
 * what it sends. `GET /requests` gives what it was asked. It ends when its parent does.
 */
const dialect = dialects.find(({ name }) => name === process.argv[2])
if (dialect === undefined) throw new Error(`no dialect ${process.argv[2]}`)
const requests: Array<Json> = []

createServer((request, response) => {
  if (request.url === "/requests") {
    response.end(JSON.stringify(requests))
    return
  }
  let body = ""
  request.setEncoding("utf8").on("data", (piece: string) => {
    body += piece
  })
  request.on("end", () => {
    const refuse = (status: number, message: string) => {
      response.writeHead(status, { "content-type": "application/json", "retry-after": "7" })
      response.end(JSON.stringify({ error: { message } }))
    }
    const json = JSON.parse(body) as Json
    requests.push(json)
    const [header, value] = dialect.key
    if (request.headers[header] !== value) return refuse(401, "wrong key")
    const name = dialect.modelOf(request.url ?? "", json)
    if (name === "limited") return refuse(429, "slow down")
    const flaw = dialect.flaw(json, name)
    if (flaw !== undefined) return refuse(400, flaw)
    const script = scripts.find((script) => script.name === name)
    if (script === undefined) return refuse(404, `no model ${name}`)
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.flushHeaders()
    const frames = dialect.frames(script)
    const write = (index: number): void => {
      const piece = frames[index]
      if (piece !== undefined) response.write(piece, () => setImmediate(() => write(index + 1)))
      else if (script.ends === "cut") setImmediate(() => response.destroy())
      else if (script.ends !== "hang") response.end()
    }
    write(0)
  })
}).listen(0, "127.0.0.1", function (this: { address: () => unknown }) {
  process.send?.((this.address() as { readonly port: number }).port)
})
process.on("disconnect", () => process.exit(0))
