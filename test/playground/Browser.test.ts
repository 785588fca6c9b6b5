import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startServer } from "../support/ServerProcess.ts"
import { type Look, browser, build, choose, open, picture, say } from "./browser.ts"

/** A page of a server of its own with the demo model. */
const visit = Effect.fnUntraced(function* (look: Look = {}, env: Readonly<Record<string, string>> = {}) {
  const server = yield* startServer({ DATABASE_URL: "memory:", ...env })
  const chromium = yield* browser
  return { server, ...(yield* open(chromium, server.baseUrl, look)) }
})

describe("the playground in a browser", () => {
  beforeAll(() => void build())

  it.live("connects, and shows what the agent is", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* visit()
      yield* Effect.promise(async () => {
        await page.getByText("Connected.").waitFor()
        await page.getByText("A general assistant that can tell the time").waitFor()
        await page.getByText("stream.delta", { exact: true }).waitFor()
        await picture(page, "connected")
      })
      assert.deepStrictEqual(complaints, [])
    })
  )

  it.live("streams an answer, with its thinking folded", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* visit()
      yield* Effect.promise(async () => {
        await choose(page, "current_time", "Trusted")
        await say(page, "What time is it?")
        await page.getByLabel("Agent").getByText("current_time says:").waitFor()
        await page.getByRole("button", { name: "Send" }).waitFor()
        assert.strictEqual(await page.getByText("I cannot know this myself").isVisible(), false)
        await page.getByText("Thinking").first().click()
        await page.getByText("I cannot know this myself").first().waitFor()
        await page.getByRole("list", { name: "Events, latest first" }).getByText("turn_stop").waitFor()
        await picture(page, "streamed")
      })
      assert.deepStrictEqual(complaints, [])
    })
  )
})
