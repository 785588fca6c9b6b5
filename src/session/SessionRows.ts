import { Array as Arr, Effect, Result, Schema } from "effect"
import { Cut, uncut } from "../history/CompactedHistory.ts"
import { HistoryEntry } from "../history/HistoryEntry.ts"
import { PendingCall } from "../history/PendingCall.ts"
import { AgentConfig, OptionValues } from "../protocol/Agent.ts"
import { firstPlace } from "../protocol/SchemaDetails.ts"
import { SessionId } from "../protocol/Session.ts"
import { ToolSpec } from "../protocol/Tool.ts"
import { KeyedTurn } from "./KeyedTurn.ts"
import type { CannotOpen, SecretBox } from "./SecretBox.ts"
import { Principal } from "./Session.ts"
import type { Row, SessionRecord } from "./SessionRecord.ts"
import type { CreatedSession, StoredSession } from "./SessionTable.ts"
import type { Lease } from "./SessionStore.ts"
import { Whole } from "./SqlRow.ts"

const StoredCall = Schema.Struct({ ...PendingCall.fields, position: Schema.optionalKey(Schema.Int) })

/**
 * A row that nothing here has written. It is told where it is, and nothing of what is in it: errors are logged, and rows hold
 * conversations and secrets.
 */
export class UnreadableRow extends Schema.TaggedError<UnreadableRow>()("UnreadableRow", { place: Schema.String }) {
  override get message() {
    return `${this.place} is not as it was written`
  }
}

/** A row of the table `sessions`. `options` is sealed, since some of them are secrets. */
const SessionRow = Schema.Struct({
  sequence: Whole,
  id: SessionId,
  principal: Principal,
  agent: Schema.fromJsonString(AgentConfig.mapFields(({ options: _, ...fields }) => fields)),
  options: Schema.NullOr(Schema.String),
  tools: Schema.fromJsonString(Schema.Array(ToolSpec)),
  pending: Schema.fromJsonString(Schema.Array(StoredCall)),
  next_position: Whole,
  fence: Whole,
  commits: Whole,
  lease_expires_at: Whole,
  touched_at: Whole,
  cut: Schema.NullOr(Schema.fromJsonString(Cut)),
  turns: Schema.fromJsonString(Schema.Array(KeyedTurn))
})

/** A row of the table `history`. */
const HistoryRow = Schema.Struct({ position: Whole, entry: Schema.fromJsonString(HistoryEntry) })

const OptionsText = Schema.fromJsonString(OptionValues)
const encodeOptions = Schema.encodeSync(OptionsText)
const decodeOptions = Schema.decodeResult(OptionsText)

const decodeSessionRows = Schema.decodeUnknownEffect(Schema.Array(SessionRow))
const decodeHistoryRows = Schema.decodeUnknownEffect(
  Schema.Array(HistoryRow.mapFields((fields) => ({ ...fields, entry: Schema.String })))
)
const decodeEntries = Schema.decodeUnknownEffect(Schema.Array(HistoryEntry))
const encodeRecord = Schema.encodeSync(SessionRow.mapFields(({ principal: _p, sequence: _s, ...fields }) => fields))

const unreadableColumn = (column: PropertyKey | undefined) =>
  new UnreadableRow({ place: `the column \`${String(column)}\` of a session` })

const openOptions = (box: SecretBox["Service"], id: SessionId, sealed: string | null) =>
  sealed === null
    ? Result.succeed({})
    : Result.flatMap(box.open(sealed, id), (text) =>
        Result.mapBoth(decodeOptions(text), {
          onFailure: () => unreadableColumn("options"),
          onSuccess: (options) => ({ options })
        })
      )

const toStored = (
  box: SecretBox["Service"],
  row: typeof SessionRow.Type
): Result.Result<StoredSession, CannotOpen | UnreadableRow> =>
  Result.map(openOptions(box, row.id, row.options), (options) => ({
    owner: row.principal,
    sequence: Number(row.sequence),
    record: {
      session: { id: row.id, agent: { ...row.agent, ...options }, tools: row.tools },
      pending: row.pending,
      next: Number(row.next_position),
      fence: Number(row.fence),
      commits: Number(row.commits),
      expiresAt: Number(row.lease_expires_at),
      touchedAt: Number(row.touched_at),
      cut: row.cut ?? uncut,
      turns: row.turns
    }
  }))

/** The columns of a record, but for those that are given once. */
export const toColumns = (
  box: SecretBox["Service"],
  { commits, cut, expiresAt, fence, next, pending, session, touchedAt, turns }: SessionRecord
): typeof SessionRow.Encoded extends infer Row ? Omit<Row, "sequence" | "principal"> : never => {
  const { options, ...agent } = session.agent
  return encodeRecord({
    id: session.id,
    agent,
    options: options === undefined ? null : box.seal(encodeOptions(options), session.id),
    tools: session.tools,
    pending,
    next_position: next,
    fence,
    commits,
    lease_expires_at: expiresAt,
    touched_at: touchedAt,
    cut: cut === uncut ? null : cut,
    turns
  })
}

/** The sessions of rows as a driver gives them. */
export const decodeSessions = (
  box: SecretBox["Service"],
  rows: unknown
): Effect.Effect<ReadonlyArray<StoredSession>, CannotOpen | UnreadableRow> =>
  decodeSessionRows(rows).pipe(
    Effect.mapError(({ issue }) => unreadableColumn(firstPlace(issue)[1])),
    Effect.flatMap((decoded) => Effect.fromResult(Result.all(decoded.map((row) => toStored(box, row)))))
  )

/** The columns of an entry and its place. */
export const toHistoryColumns = Schema.encodeSync(HistoryRow)

const unreadableEntry = (position: number | bigint | undefined) =>
  new UnreadableRow({ place: `the history's entry at position ${position}` })

const parseEntry = ({ entry, position }: { readonly entry: string; readonly position: number | bigint }) =>
  Result.try({ try: (): unknown => JSON.parse(entry), catch: () => unreadableEntry(position) })

/**
 * The entries of rows as a driver gives them. Their texts are parsed first: a schema that parses would be run as an effect for
 * each, which takes three times as long.
 */
export const decodeHistory = Effect.fnUntraced(function* (
  rows: unknown
): Effect.fn.Return<ReadonlyArray<Row>, Schema.SchemaError | UnreadableRow> {
  const texts = yield* decodeHistoryRows(rows)
  const parsed = yield* Effect.fromResult(Result.all(texts.map(parseEntry)))
  const entries = yield* Effect.mapError(decodeEntries(parsed), ({ issue }) =>
    unreadableEntry(texts[Number(firstPlace(issue)[0])]?.position)
  )
  return Arr.zipWith(texts, entries, ({ position }, entry) => ({ position: Number(position), entry }))
})

const CreatedRow = Schema.Struct({ id: SessionId, creation_fingerprint: Schema.String, created_at: Whole })
const decodeCreatedRows = Schema.decodeUnknownEffect(Schema.Array(CreatedRow))

/** The first of the rows that tell which session was made under a key. */
export const decodeCreated = (rows: unknown): Effect.Effect<CreatedSession | undefined, Schema.SchemaError> =>
  Effect.map(decodeCreatedRows(rows), ([row]) =>
    row === undefined ? undefined : { id: row.id, fingerprint: row.creation_fingerprint, at: Number(row.created_at) }
  )

const LeaseRow = Schema.Struct({ id: SessionId, fence: Whole })
const decodeLeaseRows = Schema.decodeUnknownEffect(Schema.Array(LeaseRow))

/** The leases by which sessions are held. */
export const decodeLeases = (rows: unknown): Effect.Effect<ReadonlyArray<Lease>, Schema.SchemaError> =>
  Effect.map(decodeLeaseRows(rows), (decoded) =>
    decoded.map(({ fence, id }) => ({ sessionId: id, fence: Number(fence) }))
  )
