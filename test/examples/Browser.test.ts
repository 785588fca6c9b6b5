import { readFileSync } from "node:fs"
import { extname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { build } from "vite"
import { connect } from "../../src/client.ts"
import { barriers, browser, open } from "../support/Chromium.ts"
import { serve } from "../support/LoopbackServer.ts"
import { type ServerProcess, startServer } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"

const root = join(import.meta.dirname, "browser")

/** The example as its reader would build it, on an origin of its own. */
const pageFor = Effect.fnUntraced(function* ({ baseUrl }: ServerProcess) {
  const outDir = yield* temporaryFolder
  yield* Effect.promise(() => build({ root, logLevel: "warn", build: { outDir, emptyOutDir: true } }))
  const port = yield* serve(({ url = "/" }, response) => {
    const name = url === "/" ? "index.html" : url
    const text = readFileSync(join(outDir, name), "utf8")
    response.setHeader("content-type", extname(name) === ".js" ? "text/javascript" : "text/html; charset=utf-8")
    response.end(text.replace("http://127.0.0.1:3010", baseUrl))
  })
  return `http://127.0.0.1:${port}/`
})

const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.getByRole("button", { name: "Send", disabled: false }).click()
}

/** The paragraphs, once the agent is at its end. */
const conversation = async (page: Page) => {
  await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
  return page.getByRole("log").locator("p").allTextContents()
}

const shown = (page: Page, text: string) => page.getByRole("log").getByText(text).waitFor()

/** Has the page be asked, and gives the question. */
const answerNext = (page: Page, isGranted: boolean) =>
  new Promise<string>((resolve) => {
    page.once("dialog", async (dialog) => {
      await (isGranted ? dialog.accept() : dialog.dismiss())
      resolve(dialog.message())
    })
  })

/** The agent's texts in the one session of a server, as it keeps them. */
const toldBy = async ({ baseUrl }: ServerProcess) => {
  const server = connect({ baseUrl })
  const texts: Array<string> = []
  for await (const { sessionId } of server.sessions())
    for (const { content, role } of await server.history(sessionId))
      if (role === "assistant" && typeof content === "string") texts.push(content)
  return texts
}

/** Visits the example, beside a server with the demo model. The page must complain of nothing. */
const visit = (actions: (page: Page, server: ServerProcess) => Promise<void>) =>
  Effect.gen(function* () {
    const server = yield* startServer({ DATABASE_URL: "memory:" })
    const url = yield* pageFor(server)
    assert.notStrictEqual(new URL(url).origin, new URL(server.baseUrl).origin)
    const { complaints, page } = yield* open(yield* browser, url, { colorScheme: "dark", locale: "nb-NO" })
    yield* Effect.promise(() => actions(page, server))
    assert.deepStrictEqual(complaints, [])
  })

describe("the example in a browser", () => {
  it.live("runs a tool that only the page has, asks for permission, and stops", () =>
    visit(async (page, server) => {
      assert.deepStrictEqual(await barriers(page), [])
      await say(page, "call get_preferences")
      await shown(page, "get_preferences says:")
      assert.deepStrictEqual(await conversation(page), [
        "You: call get_preferences",
        "[calls get_preferences]",
        'Agent: get_preferences says: {"language":"nb-NO","isDark":true}'
      ])

      const denied = answerNext(page, false)
      await say(page, "call current_time")
      assert.strictEqual(await denied, "May the agent use current_time with {}?")
      await shown(page, "[denied]")
      assert.match((await conversation(page)).at(-1) ?? "", /^Agent: current_time says: Tool call denied/)

      const granted = answerNext(page, true)
      await say(page, "call current_time")
      await granted
      await shown(page, "[allowed]")
      assert.match((await conversation(page)).at(-1) ?? "", /^Agent: current_time says: .*\d\d:\d\d/)

      await say(page, "long 3000")
      await shown(page, "Agent: the quick brown fox")
      await page.getByRole("button", { name: "Stop" }).click()
      await shown(page, "[stopped]")
      await say(page, "my name is Ada")
      await shown(page, "Nice to meet you, Ada.")
      const kept = (await toldBy(server)).filter((text) => text.startsWith("the quick brown fox"))
      assert.deepStrictEqual(
        kept.map((text) => text.length < 5000),
        [true]
      )

      await say(page, "<b>bold</b>")
      await shown(page, 'You said: "<b>bold</b>"')
      await say(page, "fail")
      await shown(page, "[ended: error]")
      assert.strictEqual((await conversation(page)).at(-1), "[ended: error]")
    })
  )
})
