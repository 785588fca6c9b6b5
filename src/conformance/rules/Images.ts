import { Effect } from "effect"
import type { Given } from "../ChatCompletions.ts"
import * as Cue from "../Cue.ts"
import * as Fed from "../Fed.ts"
import * as Histories from "../Histories.ts"
import { dot, dotAddress } from "../Images.ts"
import { broken, expect, notApplicable, quoted, type Rule } from "../Rule.ts"
import * as Sessions from "../Sessions.ts"
import { Subject } from "../Subject.ts"
import * as Turns from "../Turns.ts"

/** Takes a turn with an image, and gives how it stopped, which images the model was given, and what the user said. */
const showing = Effect.fnUntraced(function* (id: string, url: string) {
  const { message, tag } = yield* Cue.make([{ text: ["ok"] }])
  const content = [
    { type: "image", url },
    { type: "text", text: String(message.content) }
  ] as const
  const said = { role: "user", content } as const
  const { stopReason } = yield* Turns.take(id, [said])
  return { said, stopReason, tag }
})

const expectGiven = Effect.fnUntraced(function* (tag: string) {
  const messages = yield* Fed.messages(tag)
  yield* expect(
    messages.some(({ images }) => images.length > 0),
    `the model is given no image: ${quoted(messages)}`
  )
})

/** Whether the model is told of the image at an address, and is not given it. */
const isToldOf = (given: ReadonlyArray<Given>): boolean =>
  given.every(({ images }) => images.length === 0) && Fed.has(given, dotAddress)

const takesData: Rule = {
  id: "images",
  section: "2 ContentBlock",
  says: "An agent that declares image.data takes an image as a data: URL, gives it to the model, and keeps it as it is.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    if (agent.capabilities?.image?.data === undefined)
      return yield* notApplicable("the agent does not declare image.data")
    const id = yield* Sessions.open()
    const { said, stopReason, tag } = yield* showing(id, dot)
    if (stopReason !== "end_turn") {
      return yield* broken(`the turn stops with ${stopReason}; end_turn would be right`)
    }
    yield* expectGiven(tag)
    yield* Histories.expectKept(id, [said], 0, 1)
  })
}

const takesAddresses: Rule = {
  id: "http-images",
  section: "2 ContentBlock",
  says: "An agent that declares image.http takes an image by its address, gives it to the model, and keeps it as it is.",
  check: Effect.gen(function* () {
    const { agent } = yield* Subject
    if (agent.capabilities?.image?.http === undefined)
      return yield* notApplicable("the agent does not declare image.http")
    const id = yield* Sessions.open()
    const { said, stopReason, tag } = yield* showing(id, dotAddress)
    yield* Histories.expectKept(id, [said], 0, 1)
    // Whoever fetches images may end the turn where there is none, or tell the model in words which one it does not see.
    if (stopReason === "error" || isToldOf(yield* Fed.messages(tag))) {
      return yield* notApplicable(`the agent could not fetch ${dotAddress}`)
    }
    yield* expectGiven(tag)
  })
}

/** The rules of images. */
export const rules: ReadonlyArray<Rule> = [takesData, takesAddresses]
