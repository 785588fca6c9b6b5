import { createHash, randomBytes } from "node:crypto"
import { Redacted } from "effect"

const mark = "aap_"
const keyBytes = 32
const idBytes = 5

/** How many characters of a key stand in lists. They give away 24 of its 256 bits. */
const shownLength = mark.length + 4

/** A key as it is made: the text, for its owner alone, and what is kept of it. */
export interface NewKeyText {
  readonly key: Redacted.Redacted<string>
  readonly id: string
  readonly prefix: string
  readonly hash: string
}

/**
 * What a key is known by: its SHA-256, in hexadecimal. A slow hash with a salt is for passwords, which can be guessed; no
 * hash gives away 32 random bytes.
 */
export const hash = (key: Redacted.Redacted<string>): string =>
  createHash("sha256").update(Redacted.value(key)).digest("hex")

/** Whether a text has the form of a key. */
export const isKey = (key: Redacted.Redacted<string>): boolean => /^aap_[\w-]{43}$/.test(Redacted.value(key))

/** A new key: `aap_` and 32 random bytes in base64url. It is random anew each time. */
export const make = (): NewKeyText => {
  const text = mark + randomBytes(keyBytes).toString("base64url")
  const key = Redacted.make(text)
  const id = `key_${randomBytes(idBytes).toString("hex")}`
  return { key, id, prefix: text.slice(0, shownLength), hash: hash(key) }
}
