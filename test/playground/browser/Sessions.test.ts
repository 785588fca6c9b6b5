import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { askProcess } from "../../support/ServerProcess.ts"
import { baseUrl, openSession, testServer } from "../../support/TestServer.ts"
import {
  agent,
  askTime,
  callOf,
  failing,
  hold,
  idle,
  isFocused,
  picture,
  say,
  sessionsOf,
  visit,
  visitAt
} from "../Page.ts"

describe("sessions on the page", () => {
  it.live("goes on by itself after a reload in the middle of a call", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.reload()
      await callOf(page, "current_time").getByText("waits for your permission").waitFor()
      await page.getByRole("article", { name: "You" }).getByText("What time is it?").waitFor()
      await page.getByRole("button", { name: "Approve" }).click()
      await agent(page).getByText("current_time says:").waitFor()
      await page.getByRole("button", { name: "Full history" }).click()
      await page.getByRole("list", { name: "History, full" }).getByText("Let me look that up.").waitFor()
      await page.getByRole("button", { name: "Compacted" }).click()
      await page.getByRole("list", { name: "History, compacted" }).getByText("Let me look that up.").waitFor()
      await picture(page, "resumed")
    })
  )

  it.live("deletes a session, once it was asked twice", () =>
    visit(async ({ page, server }) => {
      await say(page, "my name is Ada")
      await idle(page)
      await page.getByRole("button", { name: /^Delete sess_/ }).click()
      await page.getByRole("button", { name: /for good$/ }).click()
      await page.getByText("There are none.").waitFor()
      await page.getByText("No session yet").waitFor()
      assert.deepStrictEqual(await sessionsOf(server), [])
    })
  )

  it.live("says what is being done with a session, and does nothing else with it meanwhile", () =>
    Effect.gen(function* () {
      const id = yield* openSession()
      yield* visitAt(
        yield* baseUrl,
        async (page) => {
          const item = page.getByRole("list", { name: "Sessions" }).getByRole("listitem")
          const fail = await failing(page, "**/sessions/*", "GET")
          await page.getByRole("button", { name: `Resume ${id}` }).click()
          await item.getByText("is being read…").waitFor()
          await item.getByRole("button", { name: `Delete ${id}`, disabled: true }).waitFor()
          await page.getByRole("button", { name: `Delete ${id}` }).click({ force: true })
          assert.strictEqual(await page.getByRole("button", { name: "Keep" }).count(), 0)
          fail()
          await page.getByRole("button", { name: `Resume ${id}`, disabled: false }).waitFor()
          const goOn = await hold(page, "**/sessions/*", "DELETE")
          await page.getByRole("button", { name: `Delete ${id}` }).click()
          await page.getByRole("button", { name: `Delete ${id} for good` }).click()
          await item.getByText("is being deleted…").waitFor()
          await item.getByRole("button", { name: "Keep", disabled: true }).waitFor()
          goOn()
          await page.getByText("There are none.").waitFor()
        },
        { expected: /ERR_FAILED/ }
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("keeps a session that was begun while another one was being deleted", () =>
    visit(async ({ page, server }) => {
      await say(page, "my name is Ada")
      await idle(page)
      const goOn = await hold(page, "**/sessions/*", "DELETE")
      await page.getByRole("button", { name: /^Delete sess_/ }).click()
      await page.getByRole("button", { name: /for good$/ }).click()
      await page.getByRole("button", { name: "New session" }).click()
      await say(page, "my name is Bo")
      await idle(page)
      await page.getByRole("list", { name: "Sessions" }).getByRole("listitem").nth(1).waitFor()
      goOn()
      await page.getByRole("list", { name: "Sessions" }).getByRole("listitem").nth(1).waitFor({ state: "detached" })
      await agent(page).getByText("Nice to meet you, Bo.").waitFor()
      assert.isFalse(await page.getByText("No session yet").isVisible())
      assert.strictEqual((await sessionsOf(server)).length, 1)
    })
  )

  it.live("asks no more for a session once another one was begun instead", () =>
    visit(async ({ page }) => {
      await say(page, "my name is Ada")
      await idle(page)
      await page.getByRole("button", { name: "New session" }).click()
      await hold(page, "**/sessions/sess_*", "GET")
      const left = page.waitForEvent("requestfailed", (request) => /\/sessions\/sess_\w+$/.test(request.url()))
      await page.getByRole("button", { name: /^Resume sess_/ }).click()
      await say(page, "my name is Bo")
      await left
      await agent(page).getByText("Nice to meet you, Bo.").waitFor()
    })
  )

  it.live("shows sessions a page at a time", () =>
    visit(async ({ page, server }) => {
      const body = { agent: { name: "assistant" } }
      for (let count = 0; count < 51; count++) await Effect.runPromise(askProcess(server, "/sessions", body))
      await page.getByRole("button", { name: "Refresh" }).click()
      const items = page.getByRole("list", { name: "Sessions" }).getByRole("listitem")
      await items.nth(49).waitFor()
      assert.strictEqual(await items.count(), 50)
      await page.getByRole("button", { name: "Older ones" }).click()
      await items.nth(50).waitFor()
      assert.isTrue(await isFocused(items.nth(50).getByRole("button", { name: /^Resume / })))
      assert.strictEqual(await page.getByRole("button", { name: "Older ones" }).count(), 0)
    })
  )

  it.live("deletes two at once", () =>
    Effect.gen(function* () {
      const ids = [yield* openSession(), yield* openSession()]
      yield* visitAt(yield* baseUrl, async (page) => {
        const goOn = await hold(page, "**/sessions/*", "DELETE")
        for (const id of ids) {
          await page.getByRole("button", { name: `Delete ${id}`, exact: true }).click()
          const asked = page.waitForRequest((request) => request.method() === "DELETE")
          await page.getByRole("button", { name: `Delete ${id} for good` }).click()
          await asked
        }
        goOn()
        await page.getByText("There are none.").waitFor()
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("takes no history for empty that is still to be read", () =>
    Effect.gen(function* () {
      yield* visitAt(yield* baseUrl, async (page) => {
        await say(page, "hello")
        await idle(page)
        const goOn = await hold(page, "**/history?*", "GET")
        const asked = page.waitForRequest(/history/)
        await page.getByRole("button", { name: "Full history" }).click()
        await asked
        assert.strictEqual(await page.getByText("It is empty.").count(), 0)
        goOn()
        await page.getByRole("list", { name: "History, full" }).getByText('"hello"', { exact: true }).waitFor()
      })
    }).pipe(Effect.provide(testServer()))
  )

  it.live("goes on with none that was left, or is no more", () =>
    Effect.gen(function* () {
      const url = yield* baseUrl
      yield* visitAt(
        url,
        async (page) => {
          await say(page, "hello")
          await idle(page)
          await page.getByRole("button", { name: "New session" }).click()
          await page.reload()
          await page.getByRole("button", { name: "Resume sess_001" }).waitFor()
          await page.getByText("No session yet").waitFor()
          await say(page, "hello")
          await idle(page)
          await fetch(`${url}/sessions/sess_002`, { method: "DELETE" })
          await page.reload()
          await page.getByRole("alert").getByText("404 session_not_found").waitFor()
          await page.reload()
          await page.getByRole("button", { name: "Resume sess_001" }).waitFor()
          await page.getByText("No session yet").waitFor()
          assert.strictEqual(await page.getByRole("alert").count(), 0)
          await say(page, "hello")
          await agent(page).getByText("Hello, world.").waitFor()
        },
        { expected: /404/ }
      )
    }).pipe(Effect.provide(testServer()))
  )

  it.live("shows what came of a call that another tab has answered", () =>
    visit(
      async ({ page, server }) => {
        await askTime(page)
        const other = await page.context().newPage()
        await other.goto(server.baseUrl)
        await other.getByRole("button", { name: /^Resume / }).click()
        await other.getByRole("button", { name: "Approve" }).waitFor()
        await page.getByRole("button", { name: "Approve" }).click()
        await agent(page).getByText("current_time says:").waitFor()
        await idle(page)
        await other.getByRole("button", { name: "Deny" }).click()
        await other.getByRole("alert").getByText("422 unknown_tool_call").waitFor()
        await callOf(other, "current_time").getByText("answered", { exact: true }).waitFor()
        const result = (shown: Page) => callOf(shown, "current_time").locator(".result p").textContent()
        assert.strictEqual(await result(other), await result(page))
        await picture(other, "answered-elsewhere")
      },
      { expected: /422/ }
    )
  )
})
