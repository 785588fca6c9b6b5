import { assert, describe, it } from "@effect/vitest"
import { barriers } from "../../support/Chromium.ts"
import { agent, askTime, callOf, idle, isFocused, picture, say, visit } from "../Page.ts"

describe("calls on the page", () => {
  it.live("approves a call", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await picture(page, "permission")
      assert.deepStrictEqual(await barriers(page), [])
      await page.getByRole("button", { name: "Approve" }).click()
      assert.strictEqual(await page.evaluate(() => document.activeElement?.ariaLabel), "Conversation")
      await agent(page).getByText("current_time says:").waitFor()
      await callOf(page, "current_time").getByText("answered", { exact: true }).waitFor()
    })
  )

  it.live("shows a call to the letter, here and in the timeline and the history", () =>
    visit(async ({ page }) => {
      await say(page, 'call current_time with {"zone":"a\u202eb\u200bc"}')
      const spelled = '"a\\u202eb\\u200bc"'
      await callOf(page, "current_time").getByText(spelled).waitFor()
      await idle(page)
      await page.getByRole("checkbox", { name: "text_delta" }).uncheck()
      await page.getByRole("checkbox", { name: "thinking_delta" }).uncheck()
      await page.getByText(`"input":{"zone":${spelled}}`).waitFor()
      await page.getByRole("button", { name: "Full history" }).click()
      await page.getByRole("list", { name: "History, full" }).getByText(`"zone": ${spelled}`).waitFor()
    })
  )

  it.live("denies a call with a reason that the model reads", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.getByLabel("Reason, if you deny it").fill("it is late")
      await page.getByRole("button", { name: "Deny" }).click()
      await agent(page).getByText("current_time says: Tool call denied: it is late").waitFor()
      await callOf(page, "current_time").getByText("denied", { exact: true }).waitFor()
      await picture(page, "denied")
      await page.reload()
      await callOf(page, "current_time").getByText("denied", { exact: true }).waitFor()
    })
  )

  it.live("says what is said after a stop at once, and tells the call that was open as not run", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.getByRole("button", { name: "Stop" }).click()
      await callOf(page, "current_time").getByText("not answered yet").waitFor()
      await say(page, "my name is Ada")
      await agent(page).getByText("Nice to meet you, Ada.").waitFor()
      await callOf(page, "current_time").getByText("denied", { exact: true }).waitFor()
      await callOf(page, "current_time").getByText(": the user went on without it", { exact: true }).waitFor()
      assert.strictEqual(await page.getByRole("button", { name: "Approve" }).count(), 0)
    })
  )

  it.live(
    "answers for tools of its own: as the user says, or always alike; and takes them away from a session under way",
    () =>
      visit(async ({ page, server }) => {
        await page.getByText("Tools of this page (0)").click()
        await page.getByLabel("Tool name").fill("get_weather")
        await page.getByLabel("Description").fill("The weather of a place.")
        await page.getByRole("button", { name: "Add tool" }).click()
        await page.getByLabel("Tool name").fill("get_mood")
        await page.getByLabel("Answer every call alike").check()
        await page.getByLabel("Fixed answer").fill("cheerful")
        await page.getByRole("button", { name: "Add tool" }).click()
        await page.getByText("Tools of this page (2)").waitFor()
        await picture(page, "tools")
        assert.deepStrictEqual(await barriers(page), [])
        await say(page, "weather in Paris")
        await callOf(page, "get_weather").getByText('"location": "Paris"').waitFor()
        await page.getByLabel("Your answer").fill("18°C, **cloudy**")
        await page.getByRole("button", { name: "Answer", exact: true }).click()
        await agent(page).locator("strong", { hasText: "cloudy" }).waitFor()
        await idle(page)
        await say(page, "call get_mood with {}")
        await agent(page).getByText("get_mood says: cheerful").waitFor()
        await idle(page)
        await page.reload()
        await agent(page).getByText("get_mood says: cheerful").waitFor()
        await idle(page)
        await say(page, "call get_mood with {}")
        await agent(page).getByText("get_mood says: cheerful").nth(1).waitFor()
        await idle(page)
        await page.getByText("Tools of this page (2)").click()
        await page.getByText("always answers “cheerful”").waitFor()
        await page.getByRole("button", { name: "Remove get_mood" }).click()
        assert.isTrue(await isFocused(page.getByLabel("Tool name")))
        await page.getByRole("button", { name: "Remove get_weather" }).click()
        await say(page, "weather in Rome")
        await agent(page).getByText("I have no tool that tells the weather.").waitFor()
        await idle(page)
        assert.notInclude(await (await fetch(`${server.baseUrl}/sessions`)).text(), "get_weather")
      })
  )
})
