import { Effect } from "effect"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ContentBlock } from "../protocol/Content.ts"
import { Confidential } from "../telemetry/Confidential.ts"

/** Runs an effect whose log lines bear these names, and quote none of the texts, which are asked for once something is logged. */
export const within =
  (names: Readonly<Record<string, string>>, texts: () => Iterable<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(Effect.annotateLogs(names), Effect.provideService(Confidential, texts))

const ofBlock = (block: ContentBlock): ReadonlyArray<string> => {
  switch (block.type) {
    case "text":
      return [block.text]
    case "thinking":
      return [block.thinking]
    case "tool_use":
      return [JSON.stringify(block.input)]
    case "image":
      return []
  }
}

const ofEntry = ({ message: { content } }: HistoryEntry): ReadonlyArray<string> =>
  typeof content === "string" ? [content] : content.flatMap(ofBlock)

/** What is said in these entries, and these secrets. */
export const texts = (entries: ReadonlyArray<HistoryEntry>, secrets: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...entries.flatMap(ofEntry),
  ...secrets
]
