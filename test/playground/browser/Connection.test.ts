import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { barriers } from "../../support/Chromium.ts"
import { startServer } from "../../support/ServerProcess.ts"
import { agent, hold, isFocused, picture, say, sessionsOf, visit } from "../Page.ts"

describe("the connection of the page", () => {
  it.live("connects, and shows what the agent is", () =>
    visit(async ({ page }) => {
      await page.getByText("Connected.").waitFor()
      await page.getByText("A general assistant that can tell the time").waitFor()
      await page.getByText("stream.delta", { exact: true }).waitFor()
      assert.strictEqual(await page.getByLabel("Model").inputValue(), "demo")
      await picture(page, "connected")
    })
  )

  it.live("asks for a key, and keeps it in the tab alone", () =>
    visit(
      async ({ page, server }) => {
        await page.getByRole("alert").getByText("401 unauthorized").first().waitFor()
        await picture(page, "key")
        assert.deepStrictEqual(await barriers(page), [])
        await page.getByLabel("Key").fill("s3cret-key")
        await page.getByRole("button", { name: "Connect" }).click()
        await page.getByText("There are none.").waitFor()
        await page.reload()
        await page.getByText("There are none.").waitFor()
        await page.getByLabel("Base URL").fill("http://127.0.0.1:1")
        assert.strictEqual(await page.getByLabel("Key").inputValue(), "")
        await page.getByLabel("Base URL").fill(server.baseUrl)
        assert.strictEqual(await page.getByLabel("Key").inputValue(), "s3cret-key")
        const kept = await page.evaluate(() => [
          JSON.stringify(sessionStorage),
          JSON.stringify(localStorage),
          document.cookie,
          location.href
        ])
        assert.deepStrictEqual(
          kept.map((text) => text.includes("s3cret-key")),
          [true, false, false, false]
        )
      },
      { expected: /401/ },
      { AAP_API_KEYS: "ada:s3cret-key" }
    )
  )

  it.live("talks to another server", () =>
    Effect.gen(function* () {
      const other = yield* startServer({ DATABASE_URL: "memory:" })
      yield* visit(async ({ page, server }) => {
        await page.getByLabel("Base URL").fill(`${other.baseUrl}/`)
        await page.getByRole("button", { name: "Connect" }).click()
        await page.getByText("Connected.").waitFor()
        await say(page, "my name is Ada")
        await agent(page).getByText("Nice to meet you, Ada.").waitFor()
        assert.strictEqual((await sessionsOf(server)).length, 0)
        assert.strictEqual((await sessionsOf(other)).length, 1)
      })
    })
  )

  it.live("keeps what is typed in the form when it has connected", () =>
    visit(async ({ page, server }) => {
      const letGo = await hold(page, `${server.baseUrl}/meta`, "GET")
      await page.reload()
      await page.getByText("Connecting…").waitFor()
      await page.getByLabel("Base URL").fill("http://127.0.0.1:1")
      await page.getByLabel("Key").fill("a-key")
      letGo()
      await page.getByText("Connected.").waitFor()
      assert.strictEqual(await page.getByLabel("Base URL").inputValue(), "http://127.0.0.1:1")
      assert.strictEqual(await page.getByLabel("Key").inputValue(), "a-key")
    })
  )

  it.live("keeps what is there where another server cannot be reached, and says so at the form", () =>
    visit(
      async ({ page, server }) => {
        const form = page.getByRole("form", { name: "Connection" })
        await say(page, "my name is Ada")
        await agent(page).getByText("Nice to meet you, Ada.").waitFor()
        await page.getByLabel("Base URL").fill("http://127.0.0.1:1")
        await page.getByRole("button", { name: "Connect" }).click()
        await form.getByRole("alert").getByText("No connection").waitFor({ timeout: 30_000 })
        await form.getByText(`Still connected to ${server.baseUrl}.`).waitFor()
        assert.isTrue(await isFocused(page.getByLabel("Base URL")))
        await picture(page, "not-connected")
        await agent(page).getByText("Nice to meet you, Ada.").waitFor()
        await say(page, "help")
        await agent(page).getByText("I am a demo").waitFor()
        assert.strictEqual((await sessionsOf(server)).length, 1)
        assert.deepStrictEqual(await barriers(page), [])
      },
      { expected: /ERR_CONNECTION|ERR_UNSAFE_PORT/ }
    )
  )

  it.live("says what an address would be", () =>
    visit(async ({ page }) => {
      await page.getByText("Connected.").waitFor()
      await page.getByLabel("Base URL").fill("ftp://agents.test")
      await page.getByRole("button", { name: "Connect" }).click()
      await page.getByRole("alert").getByText("begins with http:// or https://").waitFor()
      assert.isTrue(await isFocused(page.getByLabel("Base URL")))
      assert.deepStrictEqual(await barriers(page), [])
    })
  )
})
