import type { Layer, Schema } from "effect"
import type { HttpClient } from "effect/http"
import type { ChatModel, ModelRequest } from "../../../src/model/ChatModel.ts"

/** What a model says, in no provider's words. */
export type Said =
  | { readonly text: ReadonlyArray<string> }
  | { readonly thinking: ReadonlyArray<string> }
  /** Thinking that nobody may read. */
  | { readonly hidden: string }
  | { readonly call: readonly [name: string, ...args: ReadonlyArray<string>] }

/** How an answer ends: by itself, or in the middle. */
export type Ending = "stop" | "length" | "refusal" | "overloaded" | "context" | "cut" | "hang" | "early"

/** An answer of a model. */
export interface Script {
  readonly name: string
  readonly says: ReadonlyArray<Said>
  readonly ends: Ending
}

export type Json = Schema.JsonObject

/** How one provider speaks, and what it refuses. */
export interface Dialect {
  readonly name: string
  readonly layer: (baseUrl: string) => Layer.Layer<ChatModel, never, HttpClient.HttpClient>
  /** The request as the provider's value encodes it. */
  readonly encode: (request: ModelRequest) => Schema.Json
  /** The name of the script that a request asks for. */
  readonly modelOf: (path: string, body: Json) => string
  /** What a strict server refuses in a request; `undefined` for nothing. */
  readonly flaw: (body: Json, model: string) => string | undefined
  /** The header that must carry the key `secret`. */
  readonly key: readonly [header: string, value: string]
  /** The answer as it goes over the wire, a piece at a time, without its end where it has none. */
  readonly frames: (script: Script) => ReadonlyArray<string>
}

/** What only the provider can make: a signature of what the model thought. */
export const sign = (text: string): string => {
  let sum = 7
  for (const char of text) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003
  return `signed-${text.length}-${sum}`
}

/** An event of a stream. */
export const frame = (data: unknown, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`

/** A tool's name as every provider takes it. */
export const isPlain = (name: unknown): boolean => typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name)

export const isBlank = (text: unknown): boolean => typeof text !== "string" || text.trim() === ""
