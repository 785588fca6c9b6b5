import { Cache, Effect, Exit, Layer, Stream } from "effect"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ImageBlock, TextBlock } from "../protocol/Content.ts"
import * as PublicFetch from "../tool/PublicFetch.ts"
import { ChatModel } from "./ChatModel.ts"

/** What is fetched for a model. `maxBytes` is five million by default, for each image. */
export interface InlineImagesOptions extends PublicFetch.PublicFetchOptions {}

/** How many images are kept, so that each step of a turn need not fetch them anew. */
const kept = 16

/** How many images are fetched at the same time for one request. */
const concurrency = 4

/** How each kind of image begins. */
const kinds: ReadonlyArray<readonly [mimeType: string, begins: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/heic", /^[\s\S]{4}ftyphei[cx]/],
  ["image/heif", /^[\s\S]{4}ftyp(?:mif1|msf1)/]
]

/** The kind of an image, by its first bytes: what a server says of it may be anything. */
const kindOf = (bytes: Buffer): string | undefined =>
  kinds.find(([, begins]) => begins.test(bytes.toString("latin1", 0, 16)))?.[0]

const makeFetch = (options: InlineImagesOptions) => {
  const { maxBytes = 5_000_000 } = options
  return PublicFetch.make(options, "image/*", (url, response) =>
    Effect.gen(function* () {
      if (response.status !== 200) return yield* PublicFetch.fail(`${url.host} answered ${response.status}`)
      const { bytes, isCut } = yield* PublicFetch.readBytes(response, maxBytes)
      if (isCut) return yield* PublicFetch.fail(`it is larger than ${maxBytes} bytes`)
      const kind = kindOf(bytes)
      if (kind === undefined) return yield* PublicFetch.fail("it is no PNG, JPEG, GIF, WebP or HEIC image")
      return `data:${kind};base64,${bytes.toString("base64")}`
    })
  )
}

type Said = TextBlock | ImageBlock

const isAway = (block: Said): block is ImageBlock => block.type === "image" && !block.url.startsWith("data:")

const saidIn = ({ message }: HistoryEntry): ReadonlyArray<Said> =>
  (message.role === "user" || message.role === "tool") && typeof message.content !== "string" ? message.content : []

const replaceIn = (entry: HistoryEntry, blocks: ReadonlyMap<string, Said>): HistoryEntry => {
  const { message } = entry
  if (!saidIn(entry).some(isAway) || (message.role !== "user" && message.role !== "tool")) return entry
  const content = saidIn(entry).map((block) => (isAway(block) ? (blocks.get(block.url) ?? block) : block))
  return { ...entry, message: { ...message, content } }
}

/** Replaces the images of a history that stand at an address, but for those that the provider fetches itself. */
export type Inline = (
  history: ReadonlyArray<HistoryEntry>,
  isFetched?: (url: string) => boolean
) => Effect.Effect<ReadonlyArray<HistoryEntry>>

/**
 * Fetches images behind the guard of `web_fetch`, and keeps the last few of them. One that cannot be fetched is replaced
 * by a note that says why.
 */
export const make = (options: InlineImagesOptions = {}): Effect.Effect<Inline> =>
  Effect.gen(function* () {
    const images = yield* Cache.makeWith(makeFetch(options), {
      capacity: kept,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : "1 minute")
    })
    const inline = (url: string): Effect.Effect<readonly [string, Said]> =>
      Cache.get(images, url).pipe(
        Effect.map((data) => [url, { type: "image", url: data }] as const),
        Effect.catchTag("FetchFailed", ({ message }) =>
          Effect.succeed([url, { type: "text", text: `(The image at ${url} cannot be shown: ${message}.)` }] as const)
        )
      )
    return (history, isFetched = () => false) => {
      const urls = new Set(
        history.flatMap((entry) =>
          saidIn(entry)
            .filter(isAway)
            .map(({ url }) => url)
        )
      )
      const away = [...urls].filter((url) => !isFetched(url))
      if (away.length === 0) return Effect.succeed(history)
      return Effect.map(Effect.forEach(away, inline, { concurrency }), (blocks) => {
        const byUrl = new Map(blocks)
        return history.map((entry) => replaceIn(entry, byUrl))
      })
    }
  })

/** For models whose provider does not fetch images, or must not: they are fetched here, and sent along. */
export const layer = <E, R>(
  model: Layer.Layer<ChatModel, E, R>,
  options?: InlineImagesOptions
): Layer.Layer<ChatModel, E, R> =>
  Layer.effect(
    ChatModel,
    Effect.gen(function* () {
      const { provider, stream } = yield* ChatModel
      const inline = yield* make(options)
      return {
        provider,
        stream: (request) =>
          Stream.unwrap(Effect.map(inline(request.history), (history) => stream({ ...request, history })))
      }
    })
  ).pipe(Layer.provide(model))
