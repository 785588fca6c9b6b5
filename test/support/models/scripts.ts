import { anthropic } from "./anthropic.ts"
import { chat } from "./chat.ts"
import type { Dialect, Script } from "./dialect.ts"
import { gemini } from "./gemini.ts"
import { responses } from "./responses.ts"

/** Every provider that we speak to. */
export const dialects: ReadonlyArray<Dialect> = [chat, responses, anthropic, gemini]

const thinking = { thinking: ["I should ", "look. 東京 🎈"] }
const call = { call: ["look", '{"at":', '"it"}'] } as const

/** What the models of the mock servers say; the name of a script is the name of its model. */
export const scripts: ReadonlyArray<Script> = [
  { name: "text", says: [{ text: ["Grüße, ", "東京 🎈"] }], ends: "stop" },
  { name: "thinking", says: [thinking, { text: ["Looked."] }], ends: "stop" },
  { name: "calls", says: [{ text: ["Let me look."] }, call, { call: ["hear"] }], ends: "stop" },
  { name: "thoughtful-call", says: [thinking, { hidden: "x" }, call], ends: "stop" },
  { name: "hidden-call", says: [{ hidden: "y" }, call], ends: "stop" },
  { name: "length", says: [{ text: ["Half"] }], ends: "length" },
  { name: "refusal", says: [{ text: ["No."] }], ends: "refusal" },
  { name: "overloaded", says: [], ends: "overloaded" },
  { name: "overloaded-late", says: [{ text: ["Half"] }], ends: "overloaded" },
  { name: "context", says: [], ends: "context" },
  { name: "cut", says: [{ text: ["Half"] }], ends: "cut" },
  { name: "hang", says: [{ text: ["Half"] }], ends: "hang" },
  { name: "early", says: [{ text: ["Half"] }], ends: "early" },
  { name: "gemini-3", says: [thinking, call], ends: "stop" }
]
