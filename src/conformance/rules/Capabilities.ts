import { Effect, Option, Predicate } from "effect"
import type { ContentBlock } from "../../protocol/Content.ts"
import type { StreamMode } from "../../protocol/Turn.ts"
import * as Asking from "../Asking.ts"
import { clientTool } from "../CheckTools.ts"
import * as Cue from "../Cue.ts"
import { dot, dotAddress } from "../Images.ts"
import { expectRefused, unrunTurn } from "../Refusal.ts"
import { expect, notApplicable, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"

const leaves: Readonly<Record<string, ReadonlyArray<string>>> = {
  history: ["compacted", "full"],
  stream: ["delta", "message", "none"],
  application: ["tools"],
  image: ["http", "data"]
}

const field = (value: unknown, name: string): unknown => (Predicate.hasProperty(value, name) ? value[name] : undefined)

const declaresObjects: Rule = {
  id: "capabilities",
  section: "2 Capabilities",
  says: "Each capability that an agent declares is an object; what is not there is not supported.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const { json } = yield* Asking.ask({ method: "GET", path: "/meta" }, 200)
    const agents = field(Option.getOrUndefined(json), "agents")
    const shown = Array.isArray(agents) ? agents.find((one: unknown) => field(one, "name") === agent.name) : undefined
    const capabilities = field(shown, "capabilities")
    if (capabilities === undefined) return yield* notApplicable("the agent declares no capabilities")
    for (const [group, names] of Object.entries(leaves)) {
      for (const name of names) {
        const leaf = field(field(capabilities, group), name)
        yield* expect(
          leaf === undefined || (Predicate.isObject(leaf) && !Array.isArray(leaf)),
          `the capability ${group}.${name} is ${quoted(leaf)}; {} would be right, or to leave it out`
        )
      }
    }
  })
}

const everyMode: ReadonlyArray<StreamMode> = ["delta", "message", "none"]

const refusesModes: Rule = {
  id: "undeclared-modes",
  section: "2 Capabilities",
  says: "A stream mode that the agent does not declare is not supported: a turn in it is refused, and does not run.",
  check: Effect.gen(function* () {
    const { modes } = yield* Subject
    const missing = everyMode.filter((mode) => !modes.includes(mode))
    if (missing.length === 0) return yield* notApplicable("the agent declares every stream mode")
    const id = yield* Sessions.open()
    for (const stream of missing) {
      const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
      yield* unrunTurn(`a turn in mode ${stream}, which is not declared`, id, tag, { stream, messages: [message] })
    }
  })
}

const kinds = [
  { kind: "http", url: dotAddress },
  { kind: "data", url: dot }
] as const

const refusesImages: Rule = {
  id: "undeclared-images",
  section: "2 Capabilities",
  says: "Images of a kind that the agent does not declare are refused.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    const missing = kinds.filter(({ kind }) => agent.capabilities?.image?.[kind] === undefined)
    if (missing.length === 0) return yield* notApplicable("the agent declares every kind of image")
    const id = yield* Sessions.open()
    for (const { kind, url } of missing) {
      const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
      const content: ReadonlyArray<Extract<ContentBlock, { readonly type: "image" | "text" }>> = [
        { type: "image", url },
        { type: "text", text: String(message.content) }
      ]
      const what = `an image of the kind ${kind}, which is not declared`
      yield* unrunTurn(what, id, tag, { messages: [{ role: "user", content }] })
    }
  })
}

const refusesTools: Rule = {
  id: "undeclared-tools",
  section: "2 Capabilities",
  says: "An agent that does not declare application.tools refuses tools of its application.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    if (agent.capabilities?.application?.tools !== undefined)
      return yield* notApplicable("the agent declares application.tools")
    const body = { agent: { name: agent.name }, tools: [clientTool("aap_lookup")] }
    const answer = yield* Sessions.askToMake({ method: "POST", path: "/sessions", body })
    yield* expectRefused("tools of the application, which are not declared", answer)
  })
}

/** The rules of what an agent declares, and of what it does not. */
export const rules: ReadonlyArray<Rule> = [declaresObjects, refusesModes, refusesImages, refusesTools]
