import { type Duration, Effect, Layer, Stream } from "effect"
import { ChatModel, type ModelEvent } from "./ChatModel.ts"
import { type DemoReply, replyTo } from "./DemoScript.ts"
import { ModelError } from "./ModelError.ts"

/** How the demo speaks. */
export interface DemoOptions {
  /** The pause before each piece; thirty milliseconds by default, so that streaming can be seen. */
  readonly pace?: Duration.Input
}

const pieces = (text: string): ReadonlyArray<string> => text.match(/\s*\S+/g) ?? []

const failure = new ModelError({ reason: "bad_response", message: "the demo was asked to fail", retryable: false })

const speak = ({ calls = [], ends = "stop", text = "", thinking = "" }: DemoReply): ReadonlyArray<ModelEvent> => [
  ...pieces(thinking).map((delta) => ({ type: "thinking_delta", delta }) as const),
  ...pieces(text).map((delta) => ({ type: "text_delta", delta }) as const),
  ...calls.map(({ arguments: args, name }) => ({ type: "tool_call", name, arguments: args }) as const),
  ...(ends === "fail" || ends === "fail midway" ? [] : [{ type: "finish", reason: ends } as const])
]

const stream = (reply: DemoReply, pace: Duration.Input): Stream.Stream<ModelEvent, ModelError> => {
  const spoken = Stream.fromIterable(speak(reply)).pipe(
    Stream.rechunk(1),
    Stream.mapEffect((event) => Effect.delay(Effect.succeed(event), pace))
  )
  return reply.ends === "fail" || reply.ends === "fail midway" ? Stream.concat(spoken, Stream.fail(failure)) : spoken
}

/**
 * A model that needs no network and no key: a fixed script that thinks, streams, calls tools, and fails when asked to.
 * It says that it is a demo; ask it for `help`.
 */
export const layer = ({ pace = "30 millis" }: DemoOptions = {}): Layer.Layer<ChatModel> =>
  Layer.succeed(ChatModel, { provider: "demo", stream: (request) => stream(replyTo(request), pace) })
