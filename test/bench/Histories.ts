import { randomUUID } from "node:crypto"
import { Clock, Console, Effect, Layer } from "effect"
import * as HistoryEntry from "../../src/history/HistoryEntry.ts"
import * as OpenAiRequest from "../../src/model/OpenAiRequest.ts"
import { SessionId } from "../../src/protocol/Session.ts"
import { Principal } from "../../src/session/Session.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import * as SqliteClient from "../../src/session/SqliteClient.ts"
import * as SqlSessionStore from "../../src/session/SqlSessionStore.ts"
import { testSecrets } from "../support/TestSecrets.ts"
import * as Compare from "./Compare.ts"
import type { Figure } from "./Figure.ts"
import type * as Rig from "./Rig.ts"
import type { Size } from "./Sizes.ts"
import * as Trials from "./Trials.ts"

/** How many goes come before those that count. */
const warmUp = 2
const reader = Principal.make("reader")
const text = "A message of about a hundred characters, as people and models send them to each other all day long."

const messages = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${index} ${text}`
  }))

const entries = (length: number): ReadonlyArray<HistoryEntry.HistoryEntry> =>
  messages(length).map((message) => HistoryEntry.make(message))

const timed = Effect.fnUntraced(function* <E, R>(self: Effect.Effect<unknown, E, R>) {
  const clock = yield* Clock.Clock
  const from = clock.currentTimeNanosUnsafe()
  yield* self
  return { millis: Number(clock.currentTimeNanosUnsafe() - from) / 1e6 }
})

/** How long it takes to read so many messages from SQLite, in milliseconds. */
const read = Effect.fnUntraced(function* (length: number) {
  const store = yield* SessionStore
  const id = yield* store.create(
    reader,
    { id: SessionId.make(`sess_${randomUUID()}`), agent: { name: "assistant" }, tools: [], pending: [] },
    entries(length)
  )
  return yield* timed(store.history(reader, id))
}, Effect.orDie)

/** How long it takes to make a request of so many messages, in milliseconds. */
const encode = (length: number) => {
  const history = entries(length)
  return timed(
    Effect.sync(() => JSON.stringify(OpenAiRequest.encode({ model: "mock", system: "", history, tools: [] }).body))
  )
}

/** How what is measured of each length compares to what is of the first. */
const figures = <Name extends string>(
  group: string,
  lengths: ReadonlyArray<number>,
  results: ReadonlyArray<ReadonlyArray<Readonly<Record<Name, number>>>>,
  shown: ReadonlyArray<Compare.Shown<Name>>
): ReadonlyArray<Figure> =>
  shown.flatMap(({ of, ...figure }) =>
    lengths.flatMap((length, index) =>
      index === 0
        ? []
        : {
            ...figure,
            group,
            name: `${figure.name}, ${length.toLocaleString("en")} messages`,
            against: `${lengths[0]} messages`,
            ours: (results[index] ?? []).map((result) => result[of]),
            base: (results[0] ?? []).map((result) => result[of])
          }
    )
  )

const time = { of: "millis", name: "time of a turn", unit: "ms" } as const
const part = { of: "millis", name: "time", unit: "ms", compare: "difference" } as const
const kept = { of: "kept", name: "heap that it leaves", unit: "kB", compare: "difference" } as const

const store = SqlSessionStore.layer().pipe(
  Layer.provide([testSecrets, SqliteClient.layer({ filename: ":memory:" })]),
  Layer.orDie
)

/** What a turn costs by the length of its history: with all of it fed to the model, and with the last 4,000 tokens. */
export const measure = Effect.fnUntraced(function* (rig: Rig.Rig, { historyTurns, lengths, rounds }: Size) {
  yield* Console.error("measuring: histories")
  const byLength = Effect.fnUntraced(function* <A, R>(go: (length: number) => Effect.Effect<A, never, R>) {
    const goes = lengths.map((length) => Effect.suspend(() => go(length)))
    yield* Compare.inTurn(warmUp, goes)
    return yield* Compare.inTurn(rounds, goes)
  })
  const turns = (target: Rig.Target) =>
    byLength((length) => Trials.onHistory(messages(length), historyTurns)(rig, target))
  return [
    ...figures("a history of which all is fed", lengths, yield* turns(rig.server), [
      { ...time, compare: "difference" },
      kept
    ]),
    ...figures("of that, reading it from SQLite", lengths, yield* byLength(read), [part]),
    ...figures("of that, making the model's request", lengths, yield* byLength(encode), [part]),
    ...figures("a history of which the last 4,000 tokens are fed", lengths, yield* turns(rig.windowed), [
      { ...time, compare: "ratio", atMost: 1.5 },
      kept
    ])
  ]
}, Effect.provide(store))
