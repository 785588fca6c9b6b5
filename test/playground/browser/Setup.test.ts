import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { barriers, browser, open } from "../../support/Chromium.ts"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { ask, baseUrl, testServer } from "../../support/TestServer.ts"
import { agent, events, idle, picture, say } from "../Page.ts"

const optioned = Agent.make({
  name: "optioned",
  title: "Fine\u202e",
  instructions: "",
  options: [
    { type: "select", name: "style", title: "Style", options: ["short", "long"], default: "short" },
    { type: "secret", name: "token", default: "" }
  ]
})

const hostile = `# Look

<img src=x onerror=alert(1)>

[bad](javascript:alert(1)) and [good](https://fine.test), ![cat](https://evil.test/cat.png)

1. one
2. \`two\`

| a | b |
|---|---|
| 1 | **2** |

\`\`\`html
<script>alert(1)</script>
\`\`\``

describe("an agent's setup on the page", () => {
  it.live("sets options, shows no secret, and makes nothing of a model's HTML", () =>
    Effect.gen(function* () {
      const { complaints, hosts, page } = yield* open(yield* browser, yield* baseUrl, { width: 1920, height: 900 })
      yield* Effect.promise(async () => {
        await page.locator(".card").getByText("Fine\\u202e").waitFor()
        await page.getByRole("combobox", { name: "Style" }).selectOption("long")
        assert.strictEqual(await page.getByLabel("token").getAttribute("type"), "password")
        await page.getByLabel("token").fill("hunter2")
        await say(page, "go")
        await agent(page).getByText("<img src=x onerror=alert(1)>").waitFor()
        await agent(page).getByText("[image: cat] https://evil.test/cat.png").waitFor()
        assert.strictEqual(await agent(page).getByRole("link").count(), 1)
        await idle(page)
        await picture(page, "markdown")
        assert.deepStrictEqual(await barriers(page), [])
      })
      const { text } = yield* ask("/sessions")
      assert.include(text, '"options":{"style":"long","token":"***"}')
      assert.deepStrictEqual([complaints, [...hosts]], [[], ["127.0.0.1"]])
    }).pipe(
      Effect.provide(
        testServer({
          agents: [optioned],
          model: Scripted.layer(() => Scripted.text(hostile))
        })
      )
    )
  )

  it.live("changes how a session under way is set up, and takes a resumed one's setup over", () =>
    Effect.gen(function* () {
      const { complaints, page } = yield* open(yield* browser, yield* baseUrl)
      const style = page.getByRole("combobox", { name: "Style" })
      yield* Effect.promise(async () => {
        await style.selectOption("long")
        await page.getByLabel("token").fill("hunter2")
        await say(page, "go")
        await idle(page)
        await page.getByText("holds from the next message on").waitFor()
        assert.isTrue(await page.getByRole("combobox", { name: "Agent" }).isDisabled())
        await page.reload()
        await page.getByPlaceholder("set; type to replace").waitFor()
        assert.deepStrictEqual([await style.inputValue(), await page.getByLabel("token").inputValue()], ["long", ""])
        await style.selectOption("short")
        await page.getByRole("combobox", { name: "Answers come" }).selectOption("Block by block")
        await say(page, "go on")
        await agent(page).nth(1).waitFor()
        await idle(page)
        assert.deepStrictEqual(await events(page).locator("strong").allTextContents(), [
          "turn_stop",
          "text",
          "turn_start"
        ])
        await picture(page, "setup-under-way")
        assert.deepStrictEqual(await barriers(page), [])
      })
      const { text } = yield* ask("/sessions")
      assert.include(text, '"options":{"style":"short","token":"***"}')
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.provide(testServer({ agents: [optioned], model: Scripted.layer(() => Scripted.text("Done.")) })))
  )
})
