import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { browser, open } from "../../support/Chromium.ts"
import { baseUrl, openSession, testServer } from "../../support/TestServer.ts"
import { say } from "../Page.ts"

declare global {
  namespace globalThis {
    /** How often calls of the history were rendered, in a page that counts it. */
    var renderedCalls: number
  }
}

const agents = [Agent.make({ name: "agent", instructions: "" })]
const answer = (page: Page) => page.getByRole("article", { name: "Agent", exact: true })
const idle = (page: Page) => page.getByRole("button", { name: "Send", disabled: false }).waitFor()

/** A hundred calls and their results. A call's input is written out whenever its entry is rendered. */
const history = Array.from({ length: 100 }, (_, index) => [
  { role: "user", content: `Look ${index}.` },
  {
    role: "assistant",
    content: [{ type: "tool_use", toolCallId: `call_${index}`, name: "look", input: { ofTheHistory: index } }]
  },
  { role: "tool", toolCallId: `call_${index}`, content: "seen" }
]).flat()

/** Counts in a page how often calls of the history are written out. */
const countRenders = () => {
  globalThis.renderedCalls = 0
  JSON.stringify = new Proxy(JSON.stringify, {
    apply: (stringify, self, args: ReadonlyArray<unknown>) => {
      const [value] = args
      if (typeof value === "object" && value !== null && "ofTheHistory" in value) globalThis.renderedCalls++
      return Reflect.apply(stringify, self, args)
    }
  })
}

describe("a long chat in a browser", () => {
  it.live("renders no entry again that has not changed, while an answer is streamed", () =>
    Effect.gen(function* () {
      yield* openSession({ agent: { name: "agent" }, messages: history })
      const { complaints, page } = yield* open(yield* browser, "about:blank")
      const url = yield* baseUrl
      yield* Effect.promise(async () => {
        await page.addInitScript(countRenders)
        await page.goto(url)
        await page.getByRole("button", { name: /^Resume / }).click()
        await page.getByText("Look 99.").waitFor()
        await idle(page)
        const before = await page.evaluate(() => globalThis.renderedCalls)
        assert.isAtLeast(before, 100)
        await say(page, "go")
        await answer(page).getByText("The end.").waitFor()
        await idle(page)
        assert.strictEqual(await page.evaluate(() => globalThis.renderedCalls), before)
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(
      Effect.provide(
        testServer({
          agents,
          model: Scripted.layer(() => Scripted.text(...Array.from({ length: 200 }, () => "word "), "The end."))
        })
      )
    )
  )

  it.live("goes on where the tab is not drawn, as when it is not seen", () =>
    Effect.gen(function* () {
      const { page } = yield* open(yield* browser, "about:blank")
      const url = yield* baseUrl
      yield* Effect.promise(async () => {
        await page.addInitScript(() => {
          globalThis.requestAnimationFrame = () => 0
        })
        await page.goto(url)
        await say(page, "go")
        await answer(page).getByText("still thinking").waitFor()
      })
    }).pipe(
      Effect.provide(
        testServer({
          agents,
          model: Scripted.layer(() => Scripted.reply(Scripted.text("still thinking"), Scripted.wait(Effect.never)))
        })
      )
    )
  )
})
