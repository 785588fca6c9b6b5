import { Clock, Console, Effect } from "effect"
import type { HistoryEntry } from "../../src/history/HistoryEntry.ts"
import * as OpenAiRequest from "../../src/model/OpenAiRequest.ts"
import * as Compare from "./Compare.ts"
import type { Figure } from "./Figure.ts"
import * as Rig from "./Rig.ts"
import type { Size } from "./Sizes.ts"
import * as Trials from "./Trials.ts"

const text = "A message of about a hundred characters, as people and models send them to each other all day long."

const messages = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ("user" as const) : ("assistant" as const),
    content: `${index} ${text}`
  }))

/** How long it takes to make a request of so many messages, in milliseconds. */
const encode = Effect.fnUntraced(function* (length: number) {
  const history: ReadonlyArray<HistoryEntry> = messages(length).map((message) => ({ message }))
  const clock = yield* Clock.Clock
  const from = clock.currentTimeNanosUnsafe()
  JSON.stringify(OpenAiRequest.encode({ model: "mock", system: "", history, tools: [] }).body)
  return { millis: Number(clock.currentTimeNanosUnsafe() - from) / 1e6 }
})

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
const kept = { of: "kept", name: "heap that it leaves", unit: "kB", compare: "difference" } as const

/** What a turn costs by the length of its history: with all of it fed to the model, and with the last 4,000 tokens. */
export const measure = Effect.fnUntraced(function* (rig: Rig.Rig, { lengths, rounds }: Size) {
  yield* Console.error("measuring: histories")
  const turns = Effect.fnUntraced(function* (target: Rig.Target) {
    const trials: Array<ReturnType<Trials.Trial<"millis" | "cpu" | "kept">>> = []
    for (const length of lengths) {
      const [id = ""] = yield* Rig.create(rig, target, "burst:20", 1, messages(length))
      trials.push(Trials.onSession(id)(rig, target))
    }
    yield* Compare.inTurn(2, trials)
    return yield* Compare.inTurn(rounds, trials)
  })
  const encoded = yield* Compare.inTurn(rounds + 2, lengths.map(encode))
  return [
    ...figures("a history of which all is fed", lengths, yield* turns(rig.server), [
      { ...time, compare: "difference" },
      kept
    ]),
    ...figures("a history of which the last 4,000 tokens are fed", lengths, yield* turns(rig.windowed), [
      { ...time, compare: "ratio", atMost: 1.5 },
      kept
    ]),
    ...figures(
      "of that, making the model's request of all",
      lengths,
      encoded.map((times) => times.slice(2)),
      [{ of: "millis", name: "time", unit: "ms", compare: "difference" }]
    )
  ]
})
