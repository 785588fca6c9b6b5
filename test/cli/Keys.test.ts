import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../support/CommandLine.ts"
import { Postgres, sharedBy } from "../support/Postgres.ts"
import { type ServerProcess, startServer } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"
import { secretKey } from "../support/TestSecrets.ts"

const postgres = sharedBy({ afterAll, beforeAll })

/** The status with which a server answers who has this key, or none. */
const statusFor = (server: ServerProcess, key?: string) =>
  Effect.promise(async () => {
    const response = await fetch(
      `${server.baseUrl}/sessions`,
      key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } }
    )
    await response.text()
    return response.status
  })

const addKey = Effect.fnUntraced(function* (name: string, env: Readonly<Record<string, string>>) {
  const { code, stderr, stdout } = yield* run(["keys", "add", name], env)
  assert.strictEqual(code, 0, stderr)
  assert.match(stdout, /^aap_[\w-]{43}\n$/)
  const id = /key_[0-9a-f]{10}/.exec(stderr)?.[0] ?? ""
  assert.include(stderr, `This is ${id}, a key of ${name}. It will not be shown again`)
  return { id, key: stdout.trim() }
})

describe("effect-aap keys", () => {
  it.live("adds, lists and revokes, and a server that runs knows at once", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const env = { DATABASE_URL: `sqlite:${join(folder, "aap.db")}` }
      const server = yield* startServer(env)
      assert.include(server.banner, "none; only this machine is let in")
      assert.strictEqual(yield* statusFor(server), 200)
      const alice = yield* addKey("alice", env)
      const bob = yield* addKey("bob@example.com", env)
      assert.deepStrictEqual([yield* statusFor(server), yield* statusFor(server, alice.key)], [401, 200])
      const listed = yield* run(["keys", "list"], env)
      const [heads, first, second, ...rest] = listed.stdout.trimEnd().split("\n")
      assert.match(heads ?? "", /^ID +PRINCIPAL +KEY +MADE +REVOKED$/)
      const time = "\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z"
      assert.match(first ?? "", new RegExp(`^${alice.id} +alice +${alice.key.slice(0, 8)}… +${time} +-$`))
      assert.match(second ?? "", new RegExp(`^${bob.id} +bob@example\\.com +${bob.key.slice(0, 8)}… +${time} +-$`))
      assert.deepStrictEqual(rest, [])
      const revoked = yield* run(["keys", "revoke", alice.id], env)
      assert.deepStrictEqual(revoked, { code: 0, stdout: `${alice.id}, a key of alice, is revoked.\n`, stderr: "" })
      assert.deepStrictEqual([yield* statusFor(server, alice.key), yield* statusFor(server, bob.key)], [401, 200])
      const again = yield* run(["keys", "revoke", alice.id], env)
      assert.strictEqual(again.code, 0)
      assert.match(again.stdout, new RegExp(`^${alice.id}, a key of alice, was revoked before, at ${time}\\.\n$`))
      assert.match((yield* run(["keys", "list"], env)).stdout, new RegExp(`${alice.id} .* ${time} +${time}\n`))
      assert.deepStrictEqual(yield* run(["keys", "revoke", "key_none"], env), {
        code: 1,
        stdout: "",
        stderr: "effect-aap: there is no key key_none; effect-aap keys list prints those that there are\n"
      })
      yield* run(["keys", "revoke", bob.id], env)
      assert.deepStrictEqual([yield* statusFor(server), yield* statusFor(server, bob.key)], [401, 401])
      yield* server.kill("SIGTERM")
      assert.strictEqual(yield* server.exit, 0)
      const next = yield* startServer(env)
      assert.include(next.banner, "all revoked; nobody is let in until effect-aap keys add NAME makes one")
      assert.strictEqual(yield* statusFor(next), 401)
      for (const name of readdirSync(folder)) {
        const text = readFileSync(join(folder, name), "latin1")
        for (const { key } of [alice, bob]) assert.notInclude(text, key.slice(8), name)
      }
    })
  )

  it.live("are one for all servers over a PostgreSQL", () =>
    Effect.gen(function* () {
      const env = { DATABASE_URL: yield* (yield* Postgres).database, AAP_SECRET_KEY: secretKey }
      const servers = [yield* startServer(env), yield* startServer({ ...env, AAP_API_KEYS: "carol:key-c" })]
      const statuses = (key?: string) => Effect.forEach(servers, (server) => statusFor(server, key))
      assert.deepStrictEqual(yield* statuses(), [200, 401])
      const { id, key } = yield* addKey("alice", env)
      assert.deepStrictEqual(yield* statuses(key), [200, 200])
      assert.deepStrictEqual(yield* statuses(), [401, 401])
      assert.strictEqual((yield* run(["keys", "revoke", id], env)).code, 0)
      assert.deepStrictEqual(yield* statuses(key), [401, 401])
      assert.deepStrictEqual(yield* statuses("key-c"), [401, 200])
    }).pipe(Effect.provide(postgres))
  )

  it.live("let a server listen where others reach it", () =>
    Effect.gen(function* () {
      /** An address of loopback that is not known for one. */
      const env = { DATABASE_URL: `sqlite:${join(yield* temporaryFolder, "aap.db")}`, HOST: "127.1" }
      const refused = yield* startServer(env)
      assert.include(refused.banner, "HOST: 127.1 can be reached from elsewhere, and there are no keys")
      assert.include(refused.banner, "effect-aap keys add NAME")
      assert.strictEqual(yield* refused.exit, 1)
      const { key } = yield* addKey("alice", env)
      const server = yield* startServer(env)
      assert.include(server.banner, "1 (send one as Authorization: Bearer KEY)")
      assert.deepStrictEqual([yield* statusFor(server), yield* statusFor(server, key)], [401, 200])
    })
  )

  it.live.each([
    { args: ["keys", "add", "alice"], env: { DATABASE_URL: "memory:" }, says: "no server could know the key" },
    { args: ["keys", "list"], env: { DATABASE_URL: "memory:" }, says: "effect-aap: DATABASE_URL: memory:" },
    { args: ["keys", "list"], env: { DATABASE_URL: "mysql:x" }, says: 'DATABASE_URL: "mysql:…" is no database' },
    {
      args: ["keys", "add", "a b"],
      env: { DATABASE_URL: "sqlite:/dev/null/x.db" },
      says: "Expected a name of up to 128 letters"
    },
    { args: ["keys", "list"], env: { DATABASE_URL: "sqlite:/dev/null/x.db" }, says: "cannot be opened" },
    { args: ["keys", "add"], env: {}, says: "Missing required argument: name" },
    { args: ["keys", "forge"], env: {}, says: 'Unknown subcommand "forge"' },
    { args: ["forge"], env: {}, says: 'Unknown subcommand "forge"' }
  ])("refuse $args with $env, and say why", ({ args, env, says }) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(args, env)
      assert.strictEqual(code, 1)
      assert.include(stderr, says)
      assert.notInclude(stderr + stdout, "    at ")
      assert.notMatch(stdout, /aap_/)
    })
  )
})

describe("effect-aap", () => {
  it.live("says what it can do, and which it is", () =>
    Effect.gen(function* () {
      const help = yield* run(["--help"])
      assert.strictEqual(help.code, 0)
      for (const word of ["serve", "keys", "--version"]) assert.include(help.stdout, word)
      assert.include((yield* run(["keys", "--help"])).stdout, "revoke")
      const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
        readonly version: string
      }
      const told = yield* run(["--version"])
      assert.deepStrictEqual([told.code, told.stdout], [0, `effect-aap v${version}\n`])
    })
  )

  it.live("serves by that name too, with the same errors", () =>
    Effect.gen(function* () {
      const refused = yield* run(["serve"], { DATABASE_URL: "memory:", PORT: "http" })
      assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
      assert.include(refused.stderr, 'effect-aap cannot start. PORT: "http" is no port')
    })
  )
})
