import { connect, type Socket } from "node:net"
import { Effect } from "effect"
import { HttpServer } from "effect/http"

/** A turn over a bare socket: what was read so far, and the ways to leave. */
export interface RawTurn {
  readonly socket: Socket
  readonly heard: () => string
  /** Waits until a text has been read. */
  readonly until: (text: string) => Effect.Effect<string>
  /** Waits until the server has closed. */
  readonly closed: Effect.Effect<string>
}

/** Posts a turn over a socket of its own. */
export const rawTurn = Effect.fnUntraced(function* (id: string, body: object, paused = false) {
  const { address } = yield* HttpServer.HttpServer
  const port = "port" in address ? address.port : 0
  const text = JSON.stringify(body)
  const socket = connect(port, "127.0.0.1", () =>
    socket.write(
      `POST /sessions/${id}/turns HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\ncontent-type: application/json\r\n` +
        `content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
    )
  )
  let heard = ""
  const listeners = new Set<() => void>()
  const notify = () => {
    for (const listener of listeners) listener()
  }
  socket.setEncoding("utf8")
  if (paused) socket.pause()
  else
    socket.on("data", (piece: string) => {
      heard += piece
      notify()
    })
  socket.on("error", () => undefined)
  socket.on("close", notify)
  yield* Effect.addFinalizer(() => Effect.sync(() => socket.destroy()))
  const when = (isSo: () => boolean) =>
    Effect.callback<string>((resume) => {
      const check = () => {
        if (!isSo()) return
        listeners.delete(check)
        resume(Effect.succeed(heard))
      }
      listeners.add(check)
      check()
    })
  const turn: RawTurn = {
    socket,
    heard: () => heard,
    until: (text) => when(() => heard.includes(text)),
    closed: when(() => socket.destroyed)
  }
  return turn
})
