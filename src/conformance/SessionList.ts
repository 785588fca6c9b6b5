import { Effect } from "effect"
import { SessionPage } from "../protocol/Session.ts"
import * as Asking from "./Asking.ts"
import { broken } from "./Rule.ts"

/** How many sessions a list is read of: more than most servers give on a page. */
export const many = 60

/** How many pages are read before a list is taken to be endless. */
const maxPages = 2000

/** A page of the list: the ids of its sessions, and all of it as it was answered. */
export interface Page {
  readonly ids: ReadonlyArray<string>
  readonly text: string
}

/** All pages of the list of sessions, one after the other. */
export const pages = Effect.gen(function* () {
  const pages: Array<Page> = []
  let after: string | undefined
  while (pages.length < maxPages) {
    const path = after === undefined ? "/sessions" : `/sessions?after=${encodeURIComponent(after)}`
    const answer = yield* Asking.ask({ method: "GET", path }, 200)
    const { next, sessions } = yield* Asking.bodyOf(SessionPage, answer)
    pages.push({ ids: sessions.map(({ sessionId }) => sessionId), text: answer.text })
    if (next === undefined) return pages
    after = next
  }
  return yield* broken(`the list does not end within ${maxPages} pages`)
})

/** The ids of all sessions, page after page. */
export const listed = Effect.map(pages, (pages) => pages.flatMap(({ ids }) => ids))
