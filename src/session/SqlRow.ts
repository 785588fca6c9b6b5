import { Schema } from "effect"
import { StoreError } from "./SessionStore.ts"

/** A large integer, which drivers give as a number or as a bigint. */
export const Whole = Schema.Union([Schema.Int, Schema.BigInt])

/** What a statement's failure is to whoever asked for the operation. */
export const failed =
  (operation: string) =>
  (cause: unknown): StoreError =>
    new StoreError({ operation, cause })
