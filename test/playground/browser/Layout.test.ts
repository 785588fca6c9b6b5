import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { Page } from "playwright-core"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import * as ServerTool from "../../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../../src/tool/ToolRegistry.ts"
import { barriers, browser, type Look, open } from "../../support/Chromium.ts"
import { baseUrl, testServer } from "../../support/TestServer.ts"
import { choose, picture, say } from "../Page.ts"

const long = (name: string) => `${name}_${"without_a_space_".repeat(5)}x`.slice(0, 64)

const tool = ServerTool.make({
  name: long("tool"),
  description: `Looks up ${long("what")}.`,
  input: Schema.Struct({}),
  handler: () => Effect.succeed("x".repeat(300))
})

const agent = Agent.make({
  name: long("agent"),
  instructions: "",
  tools: [tool.spec.name],
  options: [
    { type: "select", name: "model", title: long("Model"), options: [long("model"), "small"], default: long("model") }
  ]
})

const table = `# A table

| Configuration | Responsibilities | Implementation | Recommendations |
|---|---|---|---|
| Authentication | Administration of infrastructure | \`getAuthenticationProvider\` | Uncharacteristically uncomplicated |

${"x".repeat(400)}`

const server = () =>
  testServer({
    agents: [agent],
    tools: ToolRegistry.layer(tool),
    model: Scripted.layer((_, index) => (index === 0 ? Scripted.call(tool.spec.name) : Scripted.text(table)))
  })

const looks: ReadonlyArray<Look & { readonly width: number; readonly colorScheme: "light" | "dark" }> = [
  { width: 360, height: 740, colorScheme: "light" },
  { width: 360, height: 740, colorScheme: "dark" },
  { width: 768, height: 900, colorScheme: "light" },
  { width: 768, height: 900, colorScheme: "dark" },
  { width: 1440, height: 900, colorScheme: "light" },
  { width: 1440, height: 900, colorScheme: "dark" }
]

/** The panel that is looked at, where the screen has room for one alone. */
const turnTo = async (page: Page, panel: string) => {
  const tab = page.getByRole("navigation").getByRole("button", { name: panel })
  if (await tab.isVisible()) await tab.click()
}

/** What stands out of a box that does not scroll sideways. */
const overflowing = (page: Page) =>
  page.evaluate(() =>
    [
      document.documentElement,
      ...document.querySelectorAll("section.panel, .log, .scroll, .card, .list > li, fieldset, article")
    ]
      .filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
      .map(({ className, tagName }) => `${tagName} ${className}`)
  )

/** The words of tables that are broken into lines. */
const brokenWords = (page: Page) =>
  page.getByRole("table").evaluate((table) => {
    const broken: Array<string> = []
    const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT)
    while (texts.nextNode()) {
      for (const { 0: word, index } of (texts.currentNode.textContent ?? "").matchAll(/\S+/g)) {
        const range = document.createRange()
        range.setStart(texts.currentNode, index)
        range.setEnd(texts.currentNode, index + word.length)
        if (range.getClientRects().length > 1) broken.push(word)
      }
    }
    return broken
  })

describe("the layout of the page", () => {
  it.live.each(looks)("has room for long names and wide tables, $width pixels wide and $colorScheme", (look) =>
    Effect.gen(function* () {
      const { page } = yield* open(yield* browser, yield* baseUrl, look)
      const name = `layout-${look.width}-${look.colorScheme}`
      yield* Effect.promise(async () => {
        await choose(page, tool.spec.name, "Trusted")
        assert.deepStrictEqual(await overflowing(page), [])
        await picture(page, `${name}-setup`)
        await turnTo(page, "Chat")
        await say(page, "go")
        await page.getByRole("table").waitFor()
        await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
        assert.deepStrictEqual(await overflowing(page), [])
        assert.deepStrictEqual(await brokenWords(page), [])
        assert.deepStrictEqual(await barriers(page), [])
        await picture(page, `${name}-chat`)
        await turnTo(page, "Events")
        assert.deepStrictEqual(await overflowing(page), [])
        await picture(page, `${name}-events`)
        await turnTo(page, "Setup")
        await page.getByRole("list", { name: "Sessions" }).scrollIntoViewIfNeeded()
        assert.deepStrictEqual(await overflowing(page), [])
        await picture(page, `${name}-sessions`)
      })
    }).pipe(Effect.provide(server()))
  )
})
