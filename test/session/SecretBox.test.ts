import { readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { SessionId } from "../../src/protocol/Session.ts"
import type { Session } from "../../src/session/Session.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import { SecretBox } from "../../src/session/SecretBox.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { temporaryFile } from "../support/TemporaryFile.ts"
import { ada, id, session } from "./contract.ts"

const key = (byte: number) => Redacted.make(Buffer.alloc(32, byte).toString("base64"))
const keyed = (...bytes: readonly [number, ...ReadonlyArray<number>]) => {
  const [first, ...others] = bytes
  return SecretBox.layer(key(first), ...others.map(key))
}
const withKeys = (...bytes: readonly [number, ...ReadonlyArray<number>]) => Effect.provide(SecretBox, keyed(...bytes))
const opened = (result: Result.Result<string, unknown>) => Result.getOrUndefined(result)

describe("SecretBox", () => {
  it.effect.prop("opens what it sealed, in the same context alone", [Schema.String, Schema.String], ([text, context]) =>
    Effect.gen(function* () {
      const box = yield* withKeys(1)
      const sealed = box.seal(text, context)
      assert.strictEqual(opened(box.open(sealed, context)), Buffer.from(text).toString())
      assert.strictEqual(opened(box.open(sealed, `${context}!`)), undefined)
      assert.notStrictEqual(box.seal(text, context), sealed)
    })
  )

  it.effect("opens with an old key, and not with another one", () =>
    Effect.gen(function* () {
      const sealed = (yield* withKeys(1)).seal("text", "c")
      assert.strictEqual(opened((yield* withKeys(2, 1)).open(sealed, "c")), "text")
      assert.strictEqual(opened((yield* withKeys(2)).open(sealed, "c")), undefined)
    })
  )

  it.effect.prop(
    "recognises a text by the digest of any of its keys, in the same context alone",
    [Schema.String, Schema.String],
    ([text, context]) =>
      Effect.gen(function* () {
        const [kept] = (yield* withKeys(1)).digests(text, context)
        const after = yield* withKeys(3, 2, 1)
        assert.include(after.digests(text, context), kept)
        assert.notStrictEqual(after.digests(text, context)[0], kept)
        assert.notInclude(after.digests(`${text}!`, context), kept)
        assert.notInclude(after.digests(text, `${context}!`), kept)
        if (context !== "") assert.notInclude(after.digests(`${context}${text}`, ""), kept)
        assert.notInclude((yield* withKeys(2)).digests(text, context), kept)
      })
  )

  it.effect("opens nothing that was changed, at any byte, or cut", () =>
    Effect.gen(function* () {
      const box = yield* withKeys(1)
      const sealed = box.seal("text", "c")
      for (let at = 0; at < sealed.length; at++) {
        const other = sealed[at] === "A" ? "Q" : "A"
        const changed = opened(box.open(sealed.slice(0, at) + other + sealed.slice(at + 1), "c"))
        // The last character holds bits of no byte.
        assert.isTrue(changed === undefined || at === sealed.length - 1)
        assert.strictEqual(opened(box.open(sealed.slice(0, at), "c")), undefined)
      }
    })
  )

  it.effect.each(["", "short", Buffer.alloc(31).toString("base64"), `${"x".repeat(43)}!`])(
    "takes %s for no key",
    (text) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Effect.provide(SecretBox, SecretBox.layer(Redacted.make(text))))
        assert.include(error.message, "openssl rand -base64 32")
      })
  )

  it.effect("makes a key file for its owner alone, once", () =>
    Effect.gen(function* () {
      const filename = join(dirname(yield* temporaryFile), "secret.key")
      const box = yield* Effect.provide(SecretBox, SecretBox.file(filename))
      assert.strictEqual(statSync(filename).mode & 0o777, 0o600)
      const again = yield* Effect.provide(SecretBox, Layer.fresh(SecretBox.file(filename)))
      assert.strictEqual(opened(again.open(box.seal("text", "c"), "c")), "text")
      writeFileSync(filename, "nonsense")
      const broken = yield* Effect.flip(Effect.provide(SecretBox, Layer.fresh(SecretBox.file(filename))))
      assert.strictEqual(broken._tag, "InvalidSecretKey")
    })
  )

  it.effect("keeps what a keyed request is recognised by so that nobody without the key can try what it was", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = (...bytes: readonly [number, ...ReadonlyArray<number>]) =>
        SqlSessionStore.layer().pipe(
          Layer.provide(keyed(...bytes)),
          Layer.provideMerge(SqliteClient.layer({ filename })),
          Layer.fresh
        )
      const request = { key: "once", fingerprint: "what anybody can make of the body" }
      const create = (other: string, fingerprint = request.fingerprint) =>
        Effect.flatMap(SessionStore, (store) =>
          store.create(ada, session(SessionId.make(other)), [], { ...request, fingerprint })
        )
      const begin = (fingerprint = request.fingerprint) =>
        Effect.gen(function* () {
          const keyed = { ...request, fingerprint }
          const decide = (session: Session) => Result.succeed({ session, append: [], keyed })
          return yield* (yield* SessionStore).accept(ada, id, decide, keyed)
        })
      const isSame = (fingerprint?: string) =>
        Effect.map(Effect.flip(begin(fingerprint)), (error) => error._tag === "RequestRepeated" && error.isSame)

      yield* Effect.gen(function* () {
        assert.strictEqual(yield* create(id), id)
        yield* begin()
        assert.isTrue(yield* isSame())
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ readonly creation_fingerprint: string; readonly turns: string }>`
          SELECT creation_fingerprint, turns FROM sessions
        `
        assert.match(row?.creation_fingerprint ?? "", /^[\w-]{43}$/)
        assert.include(row?.turns, '"key":"once"')
        assert.notInclude(JSON.stringify(row), request.fingerprint)
        assert.notInclude(row?.turns, row?.creation_fingerprint ?? "")
      }).pipe(Effect.provide(store(1)))

      yield* Effect.gen(function* () {
        assert.strictEqual(yield* create("sess_2"), id)
        assert.strictEqual((yield* Effect.flip(create("sess_2", "other")))._tag, "RequestRepeated")
        assert.isTrue(yield* isSame())
        assert.isFalse(yield* isSame("other"))
      }).pipe(Effect.provide(store(2, 1)))
    })
  )

  it.effect("changes a database's key for a new one that is given before the old one, and refuses any other", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const open = (...bytes: readonly [number, ...ReadonlyArray<number>]) =>
        Effect.result(
          Effect.provide(
            Effect.flatMap(SessionStore, (store) => store.list(ada, { limit: 1 })),
            SqlSessionStore.layer().pipe(
              Layer.provide(keyed(...bytes)),
              Layer.provide(SqliteClient.layer({ filename })),
              Layer.fresh
            )
          )
        )
      const opens = (...bytes: readonly [number, ...ReadonlyArray<number>]) =>
        Effect.map(open(...bytes), Result.isSuccess)
      assert.isTrue(yield* opens(1))
      assert.isFalse(yield* opens(2))
      assert.isTrue(yield* opens(1, 2))
      assert.isFalse(yield* opens(2))
      assert.isTrue(yield* opens(2, 1))
      assert.isTrue(yield* opens(2))
      assert.isTrue(yield* opens(1))
      assert.isFalse(yield* opens(3))
    })
  )

  it.effect("leaves no secret in the store's file, and says so when the key is another", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const store = (byte: number) =>
        Layer.fresh(
          SqlSessionStore.layer().pipe(
            Layer.provide(SecretBox.layer(key(byte))),
            Layer.provide(SqliteClient.layer({ filename }))
          )
        )
      const held = { ...session(id), agent: { name: "agent", options: { token: "sk-very-secret" } } }
      yield* Effect.flatMap(SessionStore, (store) => store.create(ada, held, [])).pipe(Effect.provide(store(1)))
      assert.notInclude(readFileSync(filename, "latin1"), "sk-very-secret")
      const read = Effect.flatMap(SessionStore, (store) => store.get(ada, id))
      assert.deepStrictEqual(yield* Effect.provide(read, store(1)), held)
      const refused = yield* Effect.flip(Effect.provide(read, store(2)))
      assert.include(refused.message, "was written with another key")
    })
  )
})
