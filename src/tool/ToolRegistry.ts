import { Context, Duration, Effect, Exit, Layer } from "effect"
import type { InputContent } from "../protocol/Content.ts"
import type { ToolCall, ToolSpec } from "../protocol/Tool.ts"
import type { ServerTool } from "./ServerTool.ts"
import { toContent, toFailure } from "../history/ToolOutcome.ts"
import * as SafeSpan from "../telemetry/SafeSpan.ts"
import * as ToolCalls from "./ToolCalls.ts"

/** Where a call comes from. */
export interface ToolCallContext {
  readonly toolCallId: string
  readonly sessionId: string
  /** Whose session it is. */
  readonly principal: string
}

/** A server tool, as the registry lists it. A hidden one is never shown in `/meta`; its agent has it always on. */
export interface RegisteredTool {
  readonly spec: ToolSpec
  readonly hidden: boolean
}

/**
 * The server's tools by name. `run` never fails: a wrong input, a typed failure, a defect, a timeout and an unknown
 * name all become a result that the model can read.
 */
export class ToolRegistry extends Context.Service<
  ToolRegistry,
  {
    readonly tools: ReadonlyMap<string, RegisteredTool>
    /** What is wrong with the input of a call, in the sentence that `run` would answer; `undefined` if it fits. */
    readonly check: (call: ToolCall) => Effect.Effect<string | undefined>
    readonly run: (call: ToolCall, context: ToolCallContext) => Effect.Effect<InputContent>
  }
>()("effect-aap/ToolRegistry") {
  /** The registry of these tools; the services of their handlers are taken once. Two tools of one name are a bug. */
  static readonly layer = <const Rs extends ReadonlyArray<unknown>>(
    ...tools: { readonly [K in keyof Rs]: ServerTool<Rs[K]> }
  ): Layer.Layer<ToolRegistry, never, Rs[number]> => Layer.effect(ToolRegistry, make<Rs[number]>(tools))
}

/** The result of a call, and what became of it. */
interface Settled {
  readonly content: InputContent
  readonly outcome: ToolCalls.ToolOutcome
}

const wrongInput = (name: string, flaw: string): string => `The input of ${name} does not fit. ${flaw}`

const make = Effect.fnUntraced(function* <R>(tools: ReadonlyArray<ServerTool<R>>) {
  const services = yield* Effect.context<R>()
  const byName = new Map(tools.map((tool) => [tool.spec.name, tool]))
  const twice = tools.find((tool) => byName.get(tool.spec.name) !== tool)
  if (twice !== undefined) return yield* Effect.die(new Error(`two tools are named ${twice.spec.name}`))

  const prepare = (call: ToolCall, context: ToolCallContext) =>
    Effect.gen(function* () {
      const tool = byName.get(call.name)
      if (tool === undefined) return yield* Effect.fail(`There is no tool named ${call.name}.`)
      const run = yield* Effect.mapError(tool.prepare(call.input, context), ({ message }) =>
        wrongInput(call.name, message)
      )
      return { run, timeout: tool.timeout }
    })

  /** Runs a call, and says besides its result what became of it. */
  const settle = Effect.fnUntraced(function* (call: ToolCall, context: ToolCallContext): Effect.fn.Return<Settled> {
    const prepared = yield* Effect.result(prepare(call, context))
    if (prepared._tag === "Failure") return { content: prepared.failure, outcome: "rejected" }
    const { run, timeout } = prepared.success
    return yield* run.pipe(
      Effect.provideContext(services),
      Effect.map((value): Settled => ({ content: toContent(value), outcome: "ok" })),
      Effect.catch((error) => Effect.succeed<Settled>({ content: toFailure(error), outcome: "failed" })),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () =>
          Effect.succeed<Settled>({
            content: `The tool ${call.name} took longer than ${Duration.format(timeout)} and was stopped.`,
            outcome: "timeout"
          })
      }),
      Effect.catchCause((cause) =>
        Effect.as(Effect.logError(`the tool ${call.name} failed unexpectedly`, cause), {
          content: `The tool ${call.name} failed unexpectedly.`,
          outcome: "defect" as const
        })
      )
    )
  })

  const run = Effect.fnUntraced(function* (call: ToolCall, context: ToolCallContext) {
    const span = yield* Effect.makeSpan(`execute_tool ${call.name}`, {
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.call.id": call.toolCallId
      }
    })
    const close = (outcome: ToolCalls.ToolOutcome) => {
      span.attribute("aap.tool.outcome", outcome)
      return Effect.andThen(ToolCalls.count(outcome), SafeSpan.end(span, outcome === "ok" ? undefined : outcome))
    }
    const { content } = yield* Effect.onExit(SafeSpan.beneath(span)(settle(call, context)), (exit) =>
      close(Exit.isSuccess(exit) ? exit.value.outcome : "interrupted")
    )
    return content
  })

  return ToolRegistry.of({
    tools: new Map(tools.map(({ hidden, spec }) => [spec.name, { hidden, spec }])),
    check: (call) =>
      prepare(call, { toolCallId: call.toolCallId, sessionId: "", principal: "" }).pipe(
        Effect.match({ onFailure: (flaw) => flaw, onSuccess: () => undefined })
      ),
    run
  })
})
