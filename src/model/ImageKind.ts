import type { ImageBlock, TextBlock } from "../protocol/Content.ts"

/** The parts of a `data:` URL whose body is base64. */
export interface DataUrl {
  readonly mediaType: string
  readonly base64: string
}

/** How each kind of image begins. */
const beginnings: ReadonlyArray<readonly [mediaType: string, begins: RegExp]> = [
  ["image/png", /^\x89PNG\r\n/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8[79]a/],
  ["image/webp", /^RIFF[\s\S]{4}WEBP/],
  ["image/heic", /^[\s\S]{4}ftyphei[cx]/],
  ["image/heif", /^[\s\S]{4}ftyp(?:mif1|msf1)/]
]

/** The kind of an image, by its first bytes: what a server says of it may be anything. */
export const ofBytes = (bytes: Buffer): string | undefined =>
  beginnings.find(([, begins]) => begins.test(bytes.toString("latin1", 0, 16)))?.[0]

/** Reads a `data:` URL; `undefined` for any other. */
export const parseDataUrl = (url: string): DataUrl | undefined => {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? []
  return mediaType === undefined || base64 === undefined ? undefined : { mediaType: mediaType.toLowerCase(), base64 }
}

/** What every provider that sees at all can see. */
export const common: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])

const isBase64 = (text: string): boolean => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)

/** The image, or a note in its place where a provider that sees these kinds would refuse it. */
export const showable = (block: ImageBlock, kinds: ReadonlySet<string>): ImageBlock | TextBlock => {
  const hide = (what: string): TextBlock => ({ type: "text", text: `(An image that cannot be shown: ${what}.)` })
  if (!block.url.startsWith("data:")) return URL.canParse(block.url) ? block : hide("its address is none")
  const data = parseDataUrl(block.url)
  if (data === undefined) return hide("its data is no base64")
  if (!kinds.has(data.mediaType)) return hide(`this model sees no ${data.mediaType}`)
  return isBase64(data.base64) ? block : hide("its data is no base64")
}
