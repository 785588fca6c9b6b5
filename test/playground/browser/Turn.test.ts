import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { barriers, browser, open } from "../../support/Chromium.ts"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { baseUrl, testServer } from "../../support/TestServer.ts"
import { agent, choose, conversation, events, idle, picture, say, sessionsOf, visit, visitAt } from "../Page.ts"

describe("a turn on the page", () => {
  it.live("streams an answer, with its thinking folded, beside the events", () =>
    visit(async ({ page }) => {
      await choose(page, "current_time", "Trusted")
      await say(page, "What time is it?")
      await agent(page).getByText("current_time says:").waitFor()
      await idle(page)
      assert.isFalse(await page.getByText("I cannot know this myself").isVisible())
      await page.getByText("Thinking").first().click()
      await page.getByText("I cannot know this myself").first().waitFor()
      await events(page).getByText("turn_stop").waitFor()
      assert.match((await events(page).locator("time").first().textContent()) ?? "", /^\d\d:\d\d:\d\d\.\d{3}$/)
      await picture(page, "streamed")
    })
  )

  it.live("stops a turn, and goes on after it", () =>
    visit(async ({ page }) => {
      await say(page, "long 3000")
      await agent(page).getByText("the quick brown fox").waitFor()
      await page.getByRole("button", { name: "Stop" }).click()
      await page.getByText("You stopped the turn.").waitFor()
      await say(page, "my name is Ada")
      await agent(page).getByText("Nice to meet you, Ada.").waitFor()
    })
  )

  it.live("shows errors as what they are", () =>
    visit(
      async ({ page, server }) => {
        await say(page, "fail midway")
        await conversation(page).getByText("The turn ended with an error.").waitFor({ timeout: 30_000 })
        await idle(page)
        const [session] = await sessionsOf(server)
        await fetch(`${server.baseUrl}/sessions/${session?.sessionId}`, { method: "DELETE" })
        await say(page, "hello")
        await page.getByRole("alert").getByText("The server refused (404 session_not_found)").waitFor()
        await server.kill("SIGKILL").pipe(Effect.andThen(server.exit), Effect.runPromise)
        await page.getByRole("button", { name: "Refresh" }).click()
        await page.getByRole("alert").getByText("No connection").waitFor({ timeout: 30_000 })
        await picture(page, "errors")
        assert.deepStrictEqual(await barriers(page), [])
      },
      { expected: /404|ERR_CONNECTION/ }
    )
  )

  it.live("goes on after an answer that is nested without end", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* open(yield* browser, yield* baseUrl)
      yield* Effect.promise(async () => {
        await say(page, "nest")
        await agent(page).getByText("1. 1. 1. 1.").waitFor()
        await idle(page)
        await say(page, "go on")
        await agent(page).getByText("Fine.").waitFor()
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(
      Effect.provide(
        testServer({
          agents: [Agent.make({ name: "agent", instructions: "" })],
          model: Scripted.layer((_, index) => Scripted.text(index === 0 ? "1. ".repeat(700) : "Fine."))
        })
      )
    )
  )

  it.live("puts a message that was not taken back into its field, unless something else was typed there", () =>
    Effect.gen(function* () {
      const refused = {
        status: 422,
        contentType: "application/json",
        body: JSON.stringify({ error: { code: "not_today", message: "come back tomorrow" } })
      }
      yield* visitAt(
        yield* baseUrl,
        async (page) => {
          const field = page.getByRole("textbox", { name: "Message" })
          const alerts = page.getByRole("alert").getByText("come back tomorrow")
          await page.route("**/turns", (route) => route.fulfill(refused))
          await say(page, "hello")
          await alerts.waitFor()
          assert.strictEqual(await field.inputValue(), "hello")
          await page.getByRole("article", { name: "You" }).getByText("has not confirmed").waitFor()
          await picture(page, "not-taken")
          await page.unroute("**/turns")
          const { promise: typed, resolve: goOn } = Promise.withResolvers<void>()
          await page.route("**/turns", (route) => typed.then(() => route.fulfill(refused)))
          await page.getByRole("button", { name: "Send" }).click()
          await field.fill("something else")
          goOn()
          await alerts.nth(1).waitFor()
          assert.strictEqual(await field.inputValue(), "something else")
        },
        { expected: /422/ }
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows its end to who sends something while reading further up", () =>
    Effect.gen(function* () {
      yield* visitAt(yield* baseUrl, async (page) => {
        await say(page, "hello")
        await idle(page)
        await conversation(page).evaluate(
          (log) =>
            new Promise<void>((resolve) => {
              log.addEventListener("scroll", () => resolve(), { once: true })
              log.scrollTop = 0
            })
        )
        await say(page, "are you there?")
        await agent(page).nth(1).waitFor()
        await idle(page)
        await page.waitForFunction(() => {
          const log = document.querySelector(".log")
          return (
            log !== null &&
            log.scrollHeight > 2 * log.clientHeight &&
            log.scrollHeight - log.scrollTop - log.clientHeight < 2
          )
        })
      })
    }).pipe(Effect.provide(testServer({ model: Scripted.layer(() => Scripted.text("word\n\n".repeat(100))) })))
  )
})
