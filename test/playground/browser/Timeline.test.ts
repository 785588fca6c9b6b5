import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { barriers, browser, open } from "../../support/Chromium.ts"
import { baseUrl, testServer } from "../../support/TestServer.ts"
import { picture, say } from "../Page.ts"

const deltas = 5_000

const rows = (page: Page) => page.getByRole("list", { name: "Events, latest first" }).getByRole("listitem")
const types = (page: Page) => page.getByRole("group", { name: "Types of events" })
const timeline = (page: Page) => page.getByRole("region", { name: "Timeline" })

describe("the timeline in a browser", () => {
  it.live("has every event of a long turn, though few rows at once, and shows one whole", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* open(yield* browser, yield* baseUrl)
      yield* Effect.promise(async () => {
        await say(page, "go")
        await rows(page).getByText("turn_stop").waitFor({ timeout: 30_000 })
        await types(page).getByText(`text_delta (${deltas})`).waitFor()
        assert.strictEqual(await rows(page).first().getAttribute("aria-setsize"), String(deltas + 2))
        assert.isAtMost(await rows(page).count(), 60)
        await timeline(page).evaluate((region) => {
          region.scrollTop = region.scrollHeight
        })
        await rows(page).getByText("turn_start").waitFor()
        assert.isAtMost(await rows(page).count(), 60)
        assert.strictEqual(await rows(page).last().getAttribute("aria-posinset"), String(deltas + 2))
        await rows(page).getByText('{"delta":"first "}').click()
        await page.getByRole("region", { name: "Chosen event" }).getByText('"delta": "first "').waitFor()
        await picture(page, "timeline")
        assert.deepStrictEqual(await barriers(page), [])
      })
      assert.deepStrictEqual(complaints, [])
    }).pipe(
      Effect.provide(
        testServer({
          agents: [Agent.make({ name: "agent", instructions: "" })],
          model: Scripted.layer(() =>
            Scripted.text(...Array.from({ length: deltas }, (_, index) => (index === 0 ? "first " : "w ")))
          )
        })
      )
    )
  )

  it.live("hides types of events from who works with the keyboard alone, and shows them again", () =>
    Effect.gen(function* () {
      const { page } = yield* open(yield* browser, yield* baseUrl)
      yield* Effect.promise(async () => {
        await say(page, "go")
        await rows(page).getByText("turn_stop").waitFor()
        assert.strictEqual(await rows(page).count(), 5)
        await types(page).getByRole("checkbox", { name: "text_delta" }).focus()
        await page.keyboard.press("Space")
        await rows(page).getByText("text_delta").first().waitFor({ state: "detached" })
        assert.deepStrictEqual(await rows(page).locator("strong").allTextContents(), ["turn_stop", "turn_start"])
        for (const type of ["turn_start", "turn_stop"])
          await types(page).getByRole("checkbox", { name: type }).uncheck()
        await page.getByText("All of them are hidden.").waitFor()
        await types(page).getByRole("checkbox", { name: "text_delta" }).check()
        await rows(page).getByText("text_delta").first().waitFor()
        assert.strictEqual(await rows(page).count(), 3)
      })
    }).pipe(
      Effect.provide(
        testServer({
          agents: [Agent.make({ name: "agent", instructions: "" })],
          model: Scripted.layer(() => Scripted.text("a ", "b ", "c "))
        })
      )
    )
  )
})
