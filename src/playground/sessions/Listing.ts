import type { SessionId, SessionInfo, SessionPage } from "../../protocol/Session.ts"

/** The sessions as they are listed. `next` begins the next page, `gone` are those that were deleted here. */
export interface Listing {
  readonly sessions: ReadonlyArray<SessionInfo>
  readonly next: string | undefined
  readonly gone: ReadonlySet<SessionId>
  readonly isRead: boolean
}

/** Nothing was read yet. */
export const empty: Listing = { sessions: [], next: undefined, gone: new Set(), isRead: false }

/**
 * The listing with a page behind these sessions. Answers come in any order:
 *
 * 1. A session that was deleted stays away, though a page that was asked for before still has it.
 * 2. No session stands there twice.
 * 3. A page counts only behind the one that it was asked for after.
 */
const withPage = (listing: Listing, before: ReadonlyArray<SessionInfo>, { next, sessions }: SessionPage): Listing => {
  const known = new Set([...listing.gone, ...before.map(({ sessionId }) => sessionId)])
  const added = sessions.filter(({ sessionId }) => !known.has(sessionId))
  return { ...listing, sessions: [...before, ...added], next, isRead: true }
}

/** The listing as its first page was read anew. */
export const refreshed = (listing: Listing, page: SessionPage): Listing => withPage(listing, [], page)

/** The listing with the page behind `after`, where it still ends there. */
export const extended = (listing: Listing, after: string, page: SessionPage): Listing =>
  listing.next === after ? withPage(listing, listing.sessions, page) : listing

/** The listing without a session, which was deleted. */
export const without = (listing: Listing, id: SessionId): Listing => ({
  ...listing,
  sessions: listing.sessions.filter(({ sessionId }) => sessionId !== id),
  gone: new Set([...listing.gone, id])
})
