import type { InputContent } from "../../protocol/Content.ts"

/** An image that goes with a message: what it is called here, its bytes, and where it stands: a `data:` URL. */
export interface Attachment {
  readonly name: string
  readonly size: number
  readonly url: string
}

/** What is known of a file before it is read. */
export interface Candidate {
  readonly name: string
  readonly type: string
  readonly size: number
}

/** The kinds of images that every model knows which sees any. */
export const types: ReadonlyArray<string> = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/** The most bytes that the images of one message may have: a server takes ten megabytes, and base64 makes four of three. */
export const limit = 7_000_000

const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** Why a file cannot go with a message that has these attachments; none where it can. */
export const problemOf = ({ name, size, type }: Candidate, attached: ReadonlyArray<Attachment>): string | undefined => {
  if (!types.includes(type)) return `${name} is no PNG, JPEG, GIF or WebP image.`
  if (size === 0) return `${name} is empty.`
  const total = attached.reduce((sum, attachment) => sum + attachment.size, size)
  return total <= limit
    ? undefined
    : `With ${name} the images have ${toMegabytes(total)} MB; a message may have ${toMegabytes(limit)} MB of them.`
}

/** A message as the protocol has it: plain text where it has no images, else the images and then the text. */
export const toContent = (text: string, images: ReadonlyArray<Attachment>): InputContent =>
  images.length === 0
    ? text
    : [
        ...images.map(({ url }) => ({ type: "image", url }) as const),
        ...(text.trim() === "" ? [] : [{ type: "text", text } as const])
      ]
