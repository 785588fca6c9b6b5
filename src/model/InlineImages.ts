import { Cache, Effect, Exit, Layer, Result, Semaphore } from "effect"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { ImageBlock, TextBlock } from "../protocol/Content.ts"
import * as PublicFetch from "../tool/PublicFetch.ts"
import { ChatModel } from "./ChatModel.ts"
import * as ImageKind from "./ImageKind.ts"
import * as StreamPull from "./StreamPull.ts"

/** What is fetched for a model. */
export interface InlineImagesOptions extends PublicFetch.PublicFetchOptions {
  /** The most bytes of an image; five million by default. */
  readonly maxBytes?: number
  /** The most bytes of all images of a request; fifteen million by default. */
  readonly maxTotalBytes?: number
}

/** How many images of a request are shown: the last ones. */
const maxImages = 16

/** How many images are kept, so that each step of a turn need not fetch them anew. */
const kept = 24

/** How many images are fetched at the same time, by all turns together. */
const concurrency = 8

const makeFetch = (options: InlineImagesOptions) => {
  const { maxBytes = 5_000_000 } = options
  return PublicFetch.make(options, "image/*", (url, response) =>
    Effect.gen(function* () {
      if (response.status !== 200) return yield* PublicFetch.fail(`${url.host} answered ${response.status}`)
      const { bytes, ended } = yield* PublicFetch.readBytes(response, maxBytes)
      if (ended === "cut") return yield* PublicFetch.fail(`it is larger than ${maxBytes} bytes`)
      if (ended === "broken") return yield* PublicFetch.fail("the connection broke before it was whole")
      const kind = ImageKind.ofBytes(bytes)
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

const note = (url: string, why: string): TextBlock => ({
  type: "text",
  text: `(The image at ${url} cannot be shown: ${why}.)`
})

/** How many bytes a data URL carries, its padding included. */
const bytesOf = (dataUrl: string): number => (dataUrl.length - dataUrl.indexOf(",") - 1) * 0.75

/** The images as blocks, the latest first, as far as they have room together. */
const fillRoom = (
  fetched: ReadonlyArray<readonly [url: string, Result.Result<string, PublicFetch.FetchFailed>]>,
  maxTotalBytes: number
): ReadonlyMap<string, Said> => {
  const blocks = new Map<string, Said>()
  let left = maxTotalBytes
  for (const [url, result] of fetched) {
    if (Result.isFailure(result)) blocks.set(url, note(url, result.failure.message))
    else if (bytesOf(result.success) > left)
      blocks.set(url, note(url, `there is room for ${maxTotalBytes} bytes in all`))
    else {
      left -= bytesOf(result.success)
      blocks.set(url, { type: "image", url: result.success })
    }
  }
  return blocks
}

/**
 * Fetches images behind the guard of `web_fetch`.
 *
 * 1. One that cannot be fetched whole, or is no image, is replaced by a note that says why.
 * 2. The last sixteen of a history are fetched, and shown as far as they have room together; a note stands for the rest.
 * 3. The last few are kept for a while, so that the next step need not fetch them anew.
 */
export const make = (options: InlineImagesOptions = {}): Effect.Effect<Inline> =>
  Effect.gen(function* () {
    const { maxTotalBytes = 15_000_000 } = options
    const permits = yield* Semaphore.make(concurrency)
    const fetchImage = makeFetch(options)
    const images = yield* Cache.makeWith((url: string) => permits.withPermit(fetchImage(url)), {
      capacity: kept,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : "1 minute")
    })
    return Effect.fnUntraced(function* (history, isFetched = () => false) {
      const urls = new Set(
        history.flatMap((entry) =>
          saidIn(entry)
            .filter(isAway)
            .map(({ url }) => url)
        )
      )
      const away = [...urls].filter((url) => !isFetched(url)).reverse()
      if (away.length === 0) return history
      const fetched = yield* Effect.forEach(
        away.slice(0, maxImages),
        (url) => Effect.map(Effect.result(Cache.get(images, url)), (result) => [url, result] as const),
        { concurrency: "unbounded" }
      )
      const tooMany = new PublicFetch.FetchFailed({ message: `only the last ${maxImages} images are` })
      const blocks = fillRoom(
        [...fetched, ...away.slice(maxImages).map((url) => [url, Result.fail(tooMany)] as const)],
        maxTotalBytes
      )
      return history.map((entry) => replaceIn(entry, blocks))
    })
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
          StreamPull.toStream((scope) =>
            Effect.flatMap(inline(request.history), (history) =>
              StreamPull.make(stream({ ...request, history }), scope)
            )
          )
      }
    })
  ).pipe(Layer.provide(model))
