import { NodeHttpClient } from "@effect/platform-node"
import { Duration, Effect, Option, type Redacted, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import { jsonLine, printable } from "../client/Printable.ts"
import * as Check from "../conformance/Check.ts"
import * as Report from "../conformance/Report.ts"
import type { Rule } from "../conformance/Rule.ts"
import { rules } from "../conformance/Rules.ts"
import type { SubjectTool } from "../conformance/Subject.ts"
import { JsonObject } from "../protocol/Content.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { RulesBroken } from "./ExitCode.ts"
import * as ModelCommand from "./ModelCommand.ts"
import * as Output from "./Output.ts"
import * as Remote from "./Remote.ts"

const flags = {
  url: Remote.url,
  key: Remote.key,
  agent: Flag.String("agent").pipe(
    Flag.withDescription("The agent to check; the first of the server by itself"),
    Flag.optional
  ),
  model: Flag.String("model").pipe(
    Flag.withDescription(
      "Where a scripted model runs already, such as http://127.0.0.1:4010; else the check runs its own"
    ),
    Flag.optional
  ),
  modelPort: Flag.Int("model-port").pipe(
    Flag.withDescription("The port of loopback that the check's own scripted model listens on"),
    Flag.withDefault(4010)
  ),
  tool: Flag.String("tool").pipe(
    Flag.withDescription("The tool of the server that may be called; by itself the first that needs no input"),
    Flag.optional
  ),
  input: Flag.String("input").pipe(
    Flag.withDescription("What the tool is called with: a JSON object, {} by itself"),
    Flag.optional
  ),
  rule: Flag.String("rule").pipe(
    Flag.withDescription("A rule to check; may be given several times, and all are checked where it is not"),
    Flag.atLeast(0)
  ),
  patience: Flag.Int("patience").pipe(
    Flag.withDescription("How long an answer may take, in seconds"),
    Flag.withDefault(10)
  ),
  json: Flag.Boolean("json").pipe(Flag.withDescription("Print each result as a line of JSON"), Flag.withDefault(false))
}

interface Asked {
  readonly url: string
  readonly key: Option.Option<Redacted.Redacted<string>>
  readonly agent: Option.Option<string>
  readonly tool: Option.Option<string>
  readonly input: Option.Option<string>
  readonly rule: ReadonlyArray<string>
  readonly patience: number
  readonly json: boolean
}

const decodeInput = Schema.decodeUnknownEffect(Schema.fromJsonString(JsonObject))

const toolOf = Effect.fnUntraced(function* ({
  input,
  tool
}: Asked): Effect.fn.Return<SubjectTool | undefined, CommandFailed> {
  if (Option.isNone(tool)) {
    return Option.isSome(input) ? yield* new CommandFailed({ message: "--input needs --tool" }) : undefined
  }
  const decoded = yield* Effect.mapError(
    decodeInput(Option.getOrElse(input, () => "{}")),
    () => new CommandFailed({ message: `--input is no JSON object; give one such as '{"city":"Oslo"}'` })
  )
  return { name: tool.value, input: decoded }
})

const rulesOf = Effect.fnUntraced(function* ({
  rule: wanted
}: Asked): Effect.fn.Return<ReadonlyArray<Rule>, CommandFailed> {
  const unknown = wanted.find((id) => !rules.some((rule) => rule.id === id))
  if (unknown !== undefined) {
    const names = rules.map(({ id }) => id).join(", ")
    return yield* new CommandFailed({ message: `there is no rule ${unknown}; there are: ${names}` })
  }
  return wanted.length === 0 ? rules : rules.filter(({ id }) => wanted.includes(id))
})

/** The longest patience, in seconds: a day. */
const maxPatience = 86_400

const patienceOf = ({ patience }: Asked): Effect.Effect<Duration.Duration, CommandFailed> =>
  patience >= 1 && patience <= maxPatience
    ? Effect.succeed(Duration.seconds(patience))
    : Effect.fail(
        new CommandFailed({
          message: `--patience ${patience} is no time to wait for an answer; give seconds from 1 to ${maxPatience}, such as 10`
        })
      )

/** What is checked, and how, as the flags say it. */
const optionsOf = Effect.fnUntraced(function* (asked: Asked) {
  const tool = yield* toolOf(asked)
  return {
    baseUrl: asked.url,
    rules: yield* rulesOf(asked),
    patience: yield* patienceOf(asked),
    ...Option.match(asked.key, { onNone: () => ({}), onSome: (key) => ({ key }) }),
    ...Option.match(asked.agent, { onNone: () => ({}), onSome: (agent) => ({ agent }) }),
    ...(tool === undefined ? {} : { tool })
  }
})

const checking = Effect.fnUntraced(function* (
  options: Check.CheckOptions & { readonly rules: ReadonlyArray<Rule> },
  asJson: boolean
) {
  const width = Math.max(...options.rules.map(({ id }) => id.length))
  const line = (result: Check.Result) =>
    asJson ? jsonLine(Report.toJson(result)) : printable(Report.row(result, width))
  const results = yield* Check.check(options).pipe(
    Stream.mapError(({ message }) => new CommandFailed({ message })),
    Stream.tap((result) => Output.write(`${line(result)}\n`)),
    Stream.runCollect
  )
  if (!asJson) {
    const failures = results.flatMap(Report.exchanges)
    yield* Output.write(printable(`\n${[...failures, Report.summary(results)].join("\n\n")}\n`))
  }
  if (!Report.isSound(results)) return yield* new RulesBroken()
})

/** The command that checks whether a server keeps the rules of the protocol. */
export const check = Command.make("check", flags, ({ model, modelPort, ...asked }) =>
  Effect.gen(function* () {
    const options = yield* optionsOf(asked)
    const modelUrl = Option.isSome(model) ? model.value : yield* ModelCommand.listen("127.0.0.1", modelPort)
    yield* checking({ ...options, modelUrl }, asked.json)
  }).pipe(Effect.scoped, Effect.provide(NodeHttpClient.layerNodeHttp), Remote.telling)
).pipe(
  Command.withDescription(
    "Check whether an agent server keeps the rules of the protocol. The server must speak to the scripted model. Exits with 0 where every rule that applies is kept, 6 where one is broken, and 1 for what failed before"
  ),
  Command.withExamples([
    {
      command: "effect-aap check http://127.0.0.1:3010",
      description: "Check a server whose model is http://127.0.0.1:4010/v1"
    },
    { command: "effect-aap check http://127.0.0.1:3010 --rule unicode --rule resume", description: "Check two rules" }
  ])
)
