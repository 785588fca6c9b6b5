import type { Schema } from "effect"
import type { HistoryEntry } from "../history/HistoryEntry.ts"
import type { HistoryMessage } from "../protocol/Message.ts"
import type { ToolSpec } from "../protocol/Tool.ts"
import type { FinishReason, ModelRequest } from "./ChatModel.ts"

/** What the demo does, as a value: thoughts, text, calls, and how it ends. */
export interface DemoReply {
  readonly thinking?: string
  readonly text?: string
  readonly calls?: ReadonlyArray<{ readonly name: string; readonly arguments: string }>
  /** A finish, or a failure before or in the middle of the text. */
  readonly ends?: FinishReason | "fail" | "fail midway"
}

const help = `I am a demo: a fixed script, not a language model. Ask me to see how an agent behaves:
- "what time is it in Asia/Tokyo": calls current_time
- "weather in Paris": calls a weather tool, if the application declares one such as get_weather
- "fetch https://…": calls web_fetch
- "call TOOL with {…}": calls any tool, with any input
- "time and weather in Oslo": calls two tools at once
- "my name is Ada", then "what is my name": remembers
- "long 200": runs on for 200 words; "max tokens": stops at the token limit
- "refuse", "fail", "fail midway": ends in that way`

const textOf = (message: HistoryMessage): string =>
  typeof message.content === "string"
    ? message.content
    : message.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n")

const imagesOf = (message: HistoryMessage): number =>
  typeof message.content === "string" ? 0 : message.content.filter((block) => block.type === "image").length

const named = (tools: ReadonlyArray<ToolSpec>, pattern: RegExp): ToolSpec | undefined =>
  tools.find((tool) => pattern.test(tool.name)) ?? tools.find((tool) => pattern.test(tool.description))

/** The name of the tool's only, or first required, text field: where the place goes. */
const placeField = (tool: ToolSpec): string => {
  const { properties, required } = tool.parameters
  if (Array.isArray(required) && typeof required[0] === "string") return required[0]
  const names = typeof properties === "object" && properties !== null ? Object.keys(properties) : []
  return names[0] ?? "location"
}

const lastUser = (messages: ReadonlyArray<HistoryMessage>): HistoryMessage | undefined =>
  messages.findLast((message) => message.role === "user")

/** The results at the end of the conversation, each with the name of its tool. */
const freshResults = (messages: ReadonlyArray<HistoryMessage>) => {
  const names = new Map(
    messages.flatMap((message) =>
      message.role !== "assistant" || typeof message.content === "string"
        ? []
        : message.content.flatMap((block) =>
            block.type === "tool_use" ? [[block.toolCallId, block.name] as const] : []
          )
    )
  )
  const start = messages.findLastIndex((message) => message.role !== "tool") + 1
  return messages
    .slice(start)
    .flatMap((message) =>
      message.role === "tool" ? [{ name: names.get(message.toolCallId) ?? "tool", text: textOf(message) }] : []
    )
}

const toolCall = (text: string): DemoReply | undefined => {
  const match = /\bcall\s+(\S+?)(?:\s+with\s+(\{[\s\S]*\}))?\s*[.?!]?$/i.exec(text.trim())
  const name = match?.[1]
  if (name === undefined) return undefined
  return { thinking: `I was told to call ${name}.`, calls: [{ name, arguments: match?.[2] ?? "{}" }] }
}

const call = ({ name }: ToolSpec, input: Schema.JsonObject) => ({ name, arguments: JSON.stringify(input) })

const noTool = (what: string, example: string): DemoReply => ({
  text: `I have no tool that tells ${what}. Switch on a server tool, or declare one of your own in \`tools\`, such as ${example}.`
})

const askTools = (text: string, tools: ReadonlyArray<ToolSpec>): DemoReply | undefined => {
  const place = /\b(?:in|at|for|of)\s+([\p{L}][\p{L}/_ -]*?)\s*[?.!]*$/iu.exec(text)?.[1]
  const url = /https?:\/\/\S+/i.exec(text)?.[0]
  const clock = named(tools, /time/i)
  const weather = named(tools, /weather/i)
  const fetcher = named(tools, /fetch/i)
  const wantsTime = /\b(?:time|clock|date|today)\b/i.test(text)
  const wantsWeather = /\bweather\b/i.test(text)
  const zone = place?.includes("/") === true ? { timeZone: place.replaceAll(" ", "_") } : {}
  const calls = [
    ...(wantsTime && clock !== undefined ? [call(clock, zone)] : []),
    ...(wantsWeather && weather !== undefined ? [call(weather, { [placeField(weather)]: place ?? "here" })] : []),
    ...(url !== undefined && fetcher !== undefined ? [call(fetcher, { url })] : [])
  ]
  if (calls.length > 0) {
    const names = calls.map(({ name }) => name).join(" and ")
    return { thinking: `I cannot know this myself. I should ask ${names}.`, text: "Let me look that up.", calls }
  }
  if (wantsWeather) return noTool("the weather", "get_weather with a location")
  if (wantsTime) return noTool("the time", "current_time")
  return url === undefined ? undefined : noTool("what stands at an address", "web_fetch")
}

const words = "the quick brown fox jumps over the lazy dog and runs on".split(" ")

const askBehaviour = (text: string): DemoReply | undefined => {
  const long = /\blong(?:\s+(\d+))?/i.exec(text)
  if (/\bhelp\b/i.test(text)) return { text: help }
  if (/\bfail midway\b/i.test(text)) return { text: "I was about to say something, but", ends: "fail midway" }
  if (/\bfail\b/i.test(text)) return { ends: "fail" }
  if (/\brefuse\b/i.test(text)) return { text: "I would rather not.", ends: "refusal" }
  if (/\bmax tokens\b/i.test(text)) return { text: "I could go on about this for ever, and", ends: "length" }
  if (long === null) return undefined
  const count = Math.min(Number(long[1] ?? 200), 10_000)
  return { text: Array.from({ length: count }, (_, index) => words[index % words.length]).join(" ") }
}

const namePattern = /\bmy name is\s+([\p{L}][\p{L}' -]*?)\s*(?:[.,!?]|$)/iu

const askMemory = (text: string, said: ReadonlyArray<string>): DemoReply | undefined => {
  if (/\bwhat(?:'s| is) my name\b/i.test(text)) {
    const name = said.flatMap((text) => namePattern.exec(text)?.[1] ?? []).at(-1)
    return { text: name === undefined ? "You have not told me your name." : `Your name is ${name}.` }
  }
  const name = namePattern.exec(text)?.[1]
  return name === undefined ? undefined : { text: `Nice to meet you, ${name}. I am a demo, but I will remember.` }
}

/** When it is asked to summarise a conversation: what its user said. */
const askSummary = (text: string): DemoReply | undefined => {
  if (!/^Summarise the conversation\b/.test(text)) return undefined
  const earlier = /^The user said: .*$/gm
  const lines = [
    ...(text.match(earlier) ?? []),
    ...[...text.matchAll(/^User: (.{1,200})/gm)].map(([, said]) => `The user said: ${said}`)
  ]
  return { text: [...new Set(lines)].slice(-50).join("\n") || "Nothing was said." }
}

const greet = (text: string, images: number): DemoReply => ({
  thinking: "Nothing of this is in my script; I should say what I am.",
  text:
    `I am a demo, not a language model. You said: "${text.slice(0, 200)}"` +
    `${images === 0 ? "" : ` with ${images === 1 ? "an image" : `${images} images`}`}. Say "help" to see what I can do.`
})

/** What the demo answers. The same conversation always gets the same answer. */
export const replyTo = ({ history, tools }: Pick<ModelRequest, "history" | "tools">): DemoReply => {
  const messages = history.map((entry: HistoryEntry) => entry.message)
  const results = freshResults(messages)
  if (results.length > 0) {
    const lines = results.map(({ name, text }) => `${name} says: ${text.slice(0, 2000)}`)
    return { thinking: "The tools have answered. I can sum up.", text: lines.join("\n") }
  }
  const user = lastUser(messages)
  const text = user === undefined ? "" : textOf(user)
  const said = messages.flatMap((message) => (message.role === "user" ? [textOf(message)] : []))
  return (
    askSummary(text) ??
    toolCall(text) ??
    askBehaviour(text) ??
    askMemory(text, said) ??
    askTools(text, tools) ??
    greet(text, user === undefined ? 0 : imagesOf(user))
  )
}
