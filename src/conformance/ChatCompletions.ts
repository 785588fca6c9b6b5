import { Option, Schema } from "effect"
import * as Script from "./Script.ts"

const Part = Schema.Struct({
  type: Schema.String,
  text: Schema.optionalKey(Schema.String),
  image_url: Schema.optionalKey(Schema.Struct({ url: Schema.String }))
})

const Message = Schema.Struct({
  role: Schema.String,
  content: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Array(Part)]))),
  tool_call_id: Schema.optionalKey(Schema.String),
  tool_calls: Schema.optionalKey(
    Schema.NullOr(
      Schema.Array(
        Schema.Struct({
          id: Schema.String,
          function: Schema.Struct({ name: Schema.String, arguments: Schema.String })
        })
      )
    )
  )
})

/** What the scripted model reads of a request for a chat completion; it takes any that has messages. */
export const Request = Schema.Struct({
  model: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  messages: Schema.Array(Message),
  tools: Schema.optionalKey(
    Schema.NullOr(Schema.Array(Schema.Struct({ function: Schema.Struct({ name: Schema.String }) })))
  )
})
export type Request = typeof Request.Type

/** A message as the model was given it: its text, the URLs of its images, and what it calls or answers. */
export const Given = Schema.Struct({
  role: Schema.String,
  text: Schema.String,
  images: Schema.Array(Schema.String),
  calls: Schema.Array(Schema.String),
  answers: Schema.optionalKey(Schema.String)
})
export type Given = typeof Given.Type

const textOf = ({ content }: Request["messages"][number]): string => {
  if (typeof content === "string") return content
  return (content ?? []).map(({ text }) => text ?? "").join("\n")
}

const imagesOf = ({ content }: Request["messages"][number]): ReadonlyArray<string> =>
  Array.isArray(content) ? content.flatMap((part: typeof Part.Type) => part.image_url?.url ?? []) : []

/** The messages of a request. */
export const given = ({ messages }: Request): ReadonlyArray<Given> =>
  messages.map((message) => ({
    role: message.role,
    text: textOf(message),
    images: imagesOf(message),
    calls: (message.tool_calls ?? []).map((call) => call.function.name),
    ...(message.tool_call_id === undefined ? {} : { answers: message.tool_call_id })
  }))

/** Which script is followed, and where: the latest that a user said, and each answer of the model is a step. */
export interface Cue {
  readonly script: Script.Script
  readonly step: number
}

/**
 * The cue in a request; none where no user says a script. What a server says in a user's name behind it is passed over, and
 * an answer that it gives back in several messages is one.
 */
export const cue = ({ messages }: Request): Option.Option<Cue> => {
  const scripts = messages.map((message) =>
    message.role === "user" ? Script.find(textOf(message)) : Option.none<Script.Script>()
  )
  const said = scripts.findLastIndex(Option.isSome)
  const isAnswer = (at: number) => messages[at]?.role === "assistant"
  return Option.map(scripts[said] ?? Option.none(), (script) => ({
    script,
    step: messages.filter((_, at) => at > said && isAnswer(at) && !isAnswer(at - 1)).length
  }))
}

/** The actions of a step; what is beyond the script says so. */
export const actions = ({ script, step }: Cue): ReadonlyArray<Script.Action> =>
  script.steps[step] ?? [{ text: ["(the script is over)"] }]

/** A call, with an id that is told apart from those of other steps. `index` is its place among the calls of its step. */
const toolCall = (
  { script, step }: Cue,
  { call }: Extract<Script.Action, { readonly call: unknown }>,
  index: number
) => ({
  id: `${script.tag}_${step}_${index}`.replaceAll(/\W/g, "_"),
  type: "function",
  function: { name: call.name, arguments: JSON.stringify(call.input) }
})

/** The deltas that an action gives, after a number of calls; `hold`, `fail`, `overflow` and `finish` give none. */
export const deltas = (cue: Cue, action: Script.Action, calls: number): ReadonlyArray<Schema.JsonObject> => {
  if ("text" in action) return action.text.map((content) => ({ content }))
  if ("thinking" in action) return action.thinking.map((content) => ({ reasoning_content: content }))
  return "call" in action ? [{ tool_calls: [{ index: calls, ...toolCall(cue, action, calls) }] }] : []
}

/** Why an answer with these actions ends. */
export const finishReason = (actions: ReadonlyArray<Script.Action>): string => {
  const finish = actions.find((action) => "finish" in action)
  if (finish !== undefined) return finish.finish
  return actions.some((action) => "call" in action) ? "tool_calls" : "stop"
}

const base = ({ model = "scripted" }: Request) => ({ id: "chatcmpl-scripted", created: 0, model })

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }

/** A piece of a streamed answer, as the data of a server-sent event. */
export const chunk = (request: Request, delta: Schema.JsonObject, finish: string | null = null): Schema.JsonObject => ({
  ...base(request),
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...(finish === null ? {} : { usage })
})

/** An answer that is not streamed. */
export const completion = (request: Request, cue: Cue): Schema.JsonObject => {
  const all = actions(cue)
  const text = all.flatMap((action) => ("text" in action ? action.text : [])).join("")
  const thinking = all.flatMap((action) => ("thinking" in action ? action.thinking : [])).join("")
  const calls = all.filter((action) => "call" in action).map((action, index) => toolCall(cue, action, index))
  return {
    ...base(request),
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: text === "" ? null : text,
          ...(thinking === "" ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls })
        },
        finish_reason: finishReason(all)
      }
    ],
    usage
  }
}
