import { assert, describe, it } from "@effect/vitest"
import * as OpenSession from "../../src/playground/sessions/OpenSession.ts"
import { SessionId } from "../../src/protocol/Session.ts"

const here = "http://127.0.0.1:3010"
const id = SessionId.make("sess_1")

/** A place with these texts in it. */
const placeOf = (texts: ReadonlyArray<readonly [string, string]> = []) => {
  const kept = new Map(texts)
  const place: OpenSession.Place = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, text) => void kept.set(name, text),
    removeItem: (name) => void kept.delete(name)
  }
  return { kept, place }
}

describe("the session that is open", () => {
  it("is remembered with its server, and with nothing else", () => {
    const { kept, place } = placeOf()
    OpenSession.remember(place, here, id)
    assert.strictEqual(OpenSession.remembered(place, here), id)
    assert.deepStrictEqual([...kept.values()], [`{"baseUrl":"${here}","sessionId":"sess_1"}`])
  })

  it("is forgotten where it is left, and at another server", () => {
    for (const leave of [
      (place: OpenSession.Place) => OpenSession.forget(place),
      (place: OpenSession.Place) => assert.isUndefined(OpenSession.remembered(place, "https://other.test"))
    ]) {
      const { kept, place } = placeOf()
      OpenSession.remember(place, here, id)
      leave(place)
      assert.strictEqual(kept.size, 0)
      assert.isUndefined(OpenSession.remembered(place, here))
    }
  })

  it("is none where something else stands in its place", () => {
    for (const text of ["", "null", "{}", `{"baseUrl":"${here}"}`]) {
      assert.isUndefined(OpenSession.remembered(placeOf([["effect-aap/session", text]]).place, here))
    }
  })
})
