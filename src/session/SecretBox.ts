import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto"
import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import * as Arr from "effect/Array"
import * as SecretKeyFile from "./SecretKeyFile.ts"

/** A key that is none. */
export class InvalidSecretKey extends Schema.TaggedError<InvalidSecretKey>()("InvalidSecretKey", {
  message: Schema.String
}) {}

/** What was sealed cannot be opened: the key is another one, or somebody changed it. */
export class CannotOpen extends Schema.TaggedError<CannotOpen>()("CannotOpen", {}) {
  override get message() {
    return "what is encrypted in the database was written with another key; give that one too, behind a new one as NEW,OLD"
  }
}

const algorithm = "aes-256-gcm"
const keyBytes = 32
const ivBytes = 12
const tagBytes = 16
const version = "v1."

/** Whether a text looks like one that was sealed, by whatever key. */
export const isSealed = (text: string): boolean =>
  text.startsWith(version) &&
  /^[\w-]+$/.test(text.slice(version.length)) &&
  Buffer.byteLength(text.slice(version.length), "base64url") >= ivBytes + tagBytes

/** The bytes of a key as it is written: 32 of them, in base64. */
export const parseKey = (key: Redacted.Redacted<string>): Result.Result<Buffer, InvalidSecretKey> => {
  const text = Redacted.value(key).trim()
  const bytes = Buffer.from(text, "base64")
  return bytes.length === keyBytes && /^[\w+/-]+=*$/.test(text)
    ? Result.succeed(bytes)
    : Result.fail(
        new InvalidSecretKey({ message: "it is no key of 32 bytes in base64; make one with: openssl rand -base64 32" })
      )
}

const sealWith = (key: Buffer, text: string, context: string): string => {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
  return version + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url")
}

const openWith = (key: Buffer, bytes: Buffer, context: string): Option.Option<string> =>
  Option.liftThrowable(() => {
    const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(context))
    decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8")
  })()

/** The key of digests, which is another than the one that texts are sealed with. */
const digestKey = (key: Buffer): Buffer => Buffer.from(hkdfSync("sha256", key, "", "effect-aap digest", keyBytes))

const digestWith = (key: Buffer, text: string, context: string): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([context, text]))
    .digest("base64url")

/**
 * Seals what must not be read from a database or its backup: AES-256-GCM, a fresh nonce each time. `context` is bound to
 * the text and must be the same when it is opened, so that a row cannot be passed off as another's.
 */
export class SecretBox extends Context.Service<
  SecretBox,
  {
    readonly seal: (text: string, context: string) => string
    readonly open: (sealed: string, context: string) => Result.Result<string, CannotOpen>
    /**
     * What a text is recognised by, HMAC-SHA-256, where nobody without a key may try what the text was: one digest for each
     * key. The first is to be kept; what was kept under an older key is among the others.
     */
    readonly digests: (text: string, context: string) => Arr.NonEmptyReadonlyArray<string>
  }
>()("effect-aap/SecretBox") {
  /** Seals with the first key, and opens with any: put a new key first, and keep the old one behind it. */
  static readonly layer = (
    ...keys: Arr.NonEmptyReadonlyArray<Redacted.Redacted<string>>
  ): Layer.Layer<SecretBox, InvalidSecretKey> =>
    Layer.effect(
      SecretBox,
      Effect.suspend(() => {
        const [first, ...others] = keys
        return Effect.map(Effect.fromResult(Result.all([parseKey(first), ...others.map(parseKey)])), make)
      })
    )

  /** The key of a file, which is made, for its owner's eyes alone, where there is none. */
  static readonly file = (filename: string): Layer.Layer<SecretBox, InvalidSecretKey> => {
    const blame = (message: string) => new InvalidSecretKey({ message: `${filename} cannot be used: ${message}` })
    return Layer.effect(
      SecretBox,
      Effect.try({
        try: () => SecretKeyFile.read(filename, () => `${randomBytes(keyBytes).toString("base64")}\n`),
        catch: (error) => blame(error instanceof Error ? error.message : String(error))
      }).pipe(
        Effect.flatMap((text) =>
          Effect.fromResult(Result.mapError(parseKey(Redacted.make(text)), ({ message }) => blame(message)))
        ),
        Effect.map((key) => make([key]))
      )
    )
  }

  /** A key of this process's own: for databases that live no longer than it. */
  static readonly ephemeral: Layer.Layer<SecretBox> = Layer.sync(SecretBox, () => make([randomBytes(keyBytes)]))
}

const make = (keys: Arr.NonEmptyReadonlyArray<Buffer>): SecretBox["Service"] => {
  const digestKeys = Arr.map(keys, digestKey)
  return {
    seal: (text, context) => sealWith(keys[0], text, context),
    open: (sealed, context) => {
      const bytes = Buffer.from(sealed.slice(version.length), "base64url")
      const opened =
        version + bytes.toString("base64url") === sealed
          ? Option.firstSomeOf(keys.map((key) => openWith(key, bytes, context)))
          : Option.none()
      return Result.fromOption(opened, () => new CannotOpen())
    },
    digests: (text, context) => Arr.map(digestKeys, (key) => digestWith(key, text, context))
  }
}
