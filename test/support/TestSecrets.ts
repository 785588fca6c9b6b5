import { Layer, Redacted } from "effect"
import { SecretBox } from "../../src/session/SecretBox.ts"

/** A key for tests, in base64. */
export const secretKey = Buffer.alloc(32, 7).toString("base64")

/** The box of that key. */
export const testSecrets = Layer.orDie(SecretBox.layer(Redacted.make(secretKey)))
