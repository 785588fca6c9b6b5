import { assert, describe, it } from "@effect/vitest"
import * as Listing from "../../src/playground/sessions/Listing.ts"
import { SessionId, type SessionPage } from "../../src/protocol/Session.ts"

const id = (name: string) => SessionId.make(`sess_${name}`)
const page = (names: string, next?: string): SessionPage => ({
  sessions: Array.from(names, (name) => ({ sessionId: id(name), agent: { name: "agent" } })),
  ...(next === undefined ? {} : { next })
})
const ids = ({ sessions }: Listing.Listing) => sessions.map(({ sessionId }) => sessionId)
const first = Listing.refreshed(Listing.empty, page("abc", "after_c"))

describe("the listing of sessions", () => {
  it("is not taken for empty before it was read", () => {
    assert.isFalse(Listing.empty.isRead)
    assert.isTrue(Listing.refreshed(Listing.empty, page("")).isRead)
  })

  it("grows by pages, and has no session twice", () => {
    const whole = Listing.extended(first, first.next ?? "", page("cd"))
    assert.deepStrictEqual(ids(whole), [id("a"), id("b"), id("c"), id("d")])
    assert.deepStrictEqual([first.next, whole.next], ["after_c", undefined])
    assert.deepStrictEqual(ids(Listing.refreshed(whole, page("ea"))), [id("e"), id("a")])
  })

  it("takes a page only behind the one that it was asked for after", () => {
    const anew = Listing.refreshed(first, page("ab", "after_b"))
    assert.strictEqual(Listing.extended(anew, "after_c", page("d")), anew)
  })

  it("keeps deleted sessions away, whichever answer comes last", () => {
    const less = Listing.without(Listing.without(first, id("a")), id("b"))
    assert.deepStrictEqual(ids(less), [id("c")])
    assert.deepStrictEqual(ids(Listing.refreshed(less, page("abc"))), [id("c")])
  })
})
