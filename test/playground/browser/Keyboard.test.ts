import { assert, describe, it } from "@effect/vitest"
import { barriers } from "../../support/Chromium.ts"
import { agent, idle, isFocused, picture, say, visit } from "../Page.ts"

describe("the page by the keyboard", () => {
  it.live("works with the keyboard alone, on a narrow screen in the dark", () =>
    visit(
      async ({ page }) => {
        await page.getByText("Connected.").waitFor()
        await picture(page, "narrow-setup")
        for (const view of ["Setup", "Events", "Chat"]) {
          await page.getByRole("navigation").getByRole("button", { name: view }).focus()
          await page.keyboard.press("Enter")
          const width = await page.evaluate(() => document.documentElement.scrollWidth)
          assert.isAtMost(width, 360, view)
        }
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.type("help")
        await page.keyboard.press("Enter")
        await agent(page).getByText("I am a demo").waitFor()
        await idle(page)
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
        await picture(page, "narrow-chat")
        assert.deepStrictEqual(await barriers(page), [])
      },
      { width: 360, height: 640, colorScheme: "dark" }
    )
  )

  it.live("is never lost by its focus", () =>
    visit(
      async ({ page }) => {
        const field = page.getByRole("textbox", { name: "Message" })
        const press = async (name: string | RegExp) => {
          await page.getByRole("button", { name }).focus()
          await page.keyboard.press("Enter")
        }
        await press("Chat")
        await say(page, "long 3000")
        await agent(page).getByText("the quick brown fox").waitFor()
        await press("Stop")
        await page.getByText("You stopped the turn.").waitFor()
        assert.isTrue(await isFocused(field))
        await press("New session")
        await page.getByText("No session yet").waitFor()
        assert.isTrue(await isFocused(field))
        await press("Setup")
        await press(/^Resume /)
        await agent(page).getByText("the quick brown fox").waitFor()
        assert.isTrue(await isFocused(page.getByRole("heading", { name: "Chat" })))
      },
      { width: 360, height: 640 }
    )
  )
})
