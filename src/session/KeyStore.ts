import { Context, Effect, type Option, type Redacted, Schema } from "effect"
import { Principal } from "./Session.ts"
import { StoreError } from "./SessionStore.ts"

/** No key has this id. */
export class KeyNotFound extends Schema.TaggedError<KeyNotFound>()("KeyNotFound", { id: Schema.String }) {
  override get message() {
    return `there is no key ${this.id}; effect-aap keys list prints those that there are`
  }
}

/** What is kept of a key: never the key. Times are milliseconds of the store's clock. */
export const KeptKey = Schema.Struct({
  id: Schema.String,
  /** The first characters of the key, by which its owner knows it. */
  prefix: Schema.String,
  principal: Principal,
  createdAt: Schema.Finite,
  revokedAt: Schema.optionalKey(Schema.Finite)
})
export type KeptKey = typeof KeptKey.Type

/**
 * Where keys live that are added and revoked while servers run. Invariants, held by every Layer (one contract suite):
 *
 * 1. A key cannot be found from what is kept of it.
 * 2. What was added or revoked holds for the next question, whichever process asks.
 * 3. A key that was revoked stays in the list, so that the store can tell that it has ever had one.
 */
export interface KeyStore {
  /** Makes a key for a principal, which may have several. The key is told once. */
  readonly add: (
    principal: Principal
  ) => Effect.Effect<{ readonly key: Redacted.Redacted<string>; readonly kept: KeptKey }, StoreError>
  /** All keys, the oldest first, revoked ones too. */
  readonly list: Effect.Effect<ReadonlyArray<KeptKey>, StoreError>
  /** Ends a key at once and for good. `isNew` is false where it was revoked before, which stands. */
  readonly revoke: (
    id: string
  ) => Effect.Effect<{ readonly isNew: boolean; readonly kept: KeptKey }, KeyNotFound | StoreError>
  /** Whose a key is, by its hash; none for what is no key, or is one no longer. */
  readonly principalOf: (hash: string) => Effect.Effect<Option.Option<Principal>, StoreError>
  /** Whether the store has ever had a key. */
  readonly hasKeys: Effect.Effect<boolean, StoreError>
}

/** The keys of a server; none where no Layer gives them. */
export const KeyStore = Context.Reference<KeyStore>("effect-aap/KeyStore", {
  defaultValue: () => ({
    add: () => Effect.fail(new StoreError({ operation: "add a key", cause: "there is no database to keep it in" })),
    list: Effect.succeed([]),
    revoke: (id) => Effect.fail(new KeyNotFound({ id })),
    principalOf: () => Effect.succeedNone,
    hasKeys: Effect.succeed(false)
  })
})
