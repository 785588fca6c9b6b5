import { Redacted, Schema } from "effect"
import * as OpenAiChat from "../../../src/model/OpenAiChat.ts"
import { flaw, Request } from "../openai/strict.ts"
import { type Dialect, frame, type Said, sign } from "./dialect.ts"

const decode = Schema.decodeUnknownSync(Request)
const chunk = (delta: object, finish_reason: string | null = null) =>
  frame({ choices: [{ index: 0, delta, finish_reason }] })

/** What Gemini's compatible endpoint adds to a call. */
const signature = (name: string) => ({ extra_content: { google: { thought_signature: sign(name) } } })

const saidFrames = (said: Said, index: number): ReadonlyArray<string> => {
  if ("text" in said) return said.text.map((content) => chunk({ content }))
  if ("thinking" in said) return said.thinking.map((reasoning_content) => chunk({ reasoning_content, content: null }))
  if ("hidden" in said) return []
  const [name, ...args] = said.call
  const call = (fn: object, id?: string) =>
    chunk({ tool_calls: [{ index, ...(id === undefined ? {} : { id, ...signature(name) }), function: fn }] })
  return [call({ name, arguments: "" }, `chat_${index}`), ...args.map((piece) => call({ arguments: piece }))]
}

const stops = { stop: "stop", length: "length", refusal: "content_filter" } as const

/** OpenAI's chat completions. */
export const chat: Dialect = {
  name: "openai",
  layer: (baseUrl) => OpenAiChat.layer({ baseUrl, apiKey: Redacted.make("secret"), idleTimeout: "300 millis" }),
  encode: (request) => OpenAiChat.provider.encode(request).body,
  modelOf: (_, body) => String(body["model"]),
  flaw: (body) => flaw(decode(body)),
  key: ["authorization", "Bearer secret"],
  frames: ({ ends, says }) => {
    const usage = { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 2 } }
    const begun = says.flatMap(saidFrames)
    if (ends === "overloaded") return [...begun, frame({ error: { message: "Overloaded", code: 503 } })]
    if (ends === "context") return [...begun, frame({ error: { message: "maximum context length is 8 tokens" } })]
    if (ends !== "stop" && ends !== "length" && ends !== "refusal") return begun
    return [...begun, chunk({}, stops[ends]), frame({ choices: [], usage }), "data: [DONE]\n\n"]
  }
}
