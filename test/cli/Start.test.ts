import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { run } from "../support/CommandLine.ts"
import { startServer } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"

/** A port of loopback on which nobody listens. */
const nobody = "127.0.0.1:1"

describe("a start that cannot succeed", () => {
  it.live.each([
    { what: "a refused connection", url: `postgres://ada@${nobody}/aap`, says: "PostgreSQL at 127.0.0.1:1/aap" },
    { what: "a password of its own", url: `postgres://ada:hunter2@${nobody}/aap`, says: "ECONNREFUSED" },
    { what: "a file that is none", url: "sqlite:/dev/null/aap.db", says: "cannot be opened" },
    { what: "a second way to say memory", url: "sqlite::memory:", says: "give memory:" }
  ])("names the setting and says why: $what", ({ says, url }) =>
    Effect.gen(function* () {
      const secret = Buffer.alloc(32).toString("base64")
      for (const command of ["serve", "keys list"]) {
        const { code, stderr, stdout } = yield* run(command.split(" "), { DATABASE_URL: url, AAP_SECRET_KEY: secret })
        assert.strictEqual(code, 1)
        assert.include(stderr, "DATABASE_URL: ")
        assert.include(stderr, says)
        assert.notInclude(stdout + stderr, "hunter2")
        assert.notInclude(stdout + stderr, secret)
      }
    })
  )

  it.live.each([
    { what: "a folder", make: (path: string) => mkdirSync(path), says: "EISDIR" },
    { what: "a link to nowhere", make: (path: string) => symlinkSync("nowhere", path), says: "EEXIST" },
    { what: "empty", make: (path: string) => writeFileSync(path, ""), says: "no key of 32 bytes" }
  ])("names the key file and says why: it is $what", ({ make, says }) =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      make(join(folder, "secret.key"))
      const { code, stderr } = yield* run(["serve"], { DATABASE_URL: `sqlite:${join(folder, "aap.db")}`, PORT: "0" })
      assert.strictEqual(code, 1)
      assert.include(stderr, `AAP_SECRET_KEY: none is given: ${join(folder, "secret.key")} cannot be used: `)
      assert.include(stderr, says)
    })
  )

  it.live("says that a database was written with another key, where its key file is lost", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const env = { DATABASE_URL: `sqlite:${join(folder, "aap.db")}`, PORT: "0" }
      yield* Effect.scoped(startServer(env))
      assert.strictEqual(statSync(join(folder, "aap.db")).mode & 0o777, 0o600)
      rmSync(join(folder, "secret.key"))
      const { code, stderr } = yield* run(["serve"], env)
      assert.strictEqual(code, 1)
      assert.include(stderr, "AAP_SECRET_KEY: what is encrypted in the database was written with another key")
    })
  )

  it.live("takes a key file that others could read from them, and leaves no draft behind", () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const env = { DATABASE_URL: `sqlite:${join(folder, "aap.db")}`, PORT: "0" }
      yield* Effect.scoped(startServer(env))
      chmodSync(join(folder, "secret.key"), 0o644)
      yield* Effect.scoped(startServer(env))
      assert.strictEqual(statSync(join(folder, "secret.key")).mode & 0o777, 0o600)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.startsWith("secret")),
        ["secret.key"]
      )
    })
  )

  it.live.each([
    { keys: "ada:one,bob:one", says: "key 2 was given before" },
    { keys: `${"a".repeat(129)}:one`, says: "up to 128 letters" },
    { keys: "a b:one", says: "the name of key 1" },
    { keys: "one", says: "no NAME:KEY" }
  ])("says what is wrong with its keys: $says", ({ keys, says }) =>
    Effect.gen(function* () {
      const { code, stderr } = yield* run(["serve"], { DATABASE_URL: "memory:", AAP_API_KEYS: keys, PORT: "0" })
      assert.strictEqual(code, 1)
      assert.include(stderr, "AAP_API_KEYS: ")
      assert.include(stderr, says)
    })
  )
})
