import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { type Look, barriers, browser, open } from "../support/Chromium.ts"
import { askProcess, type ServerProcess, startServer } from "../support/ServerProcess.ts"
import * as Agent from "../../src/agent/Agent.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { ask, baseUrl, testServer } from "../support/TestServer.ts"
import { choose, picture, say } from "./Page.ts"

interface Visit {
  readonly page: Page
  readonly server: ServerProcess
}

/**
 * Visits a server of its own with the demo model. The page must have no error, break no policy, and ask no host but this
 * machine, whatever is done there.
 */
const visit = (
  actions: (visit: Visit) => Promise<void>,
  { expected, ...look }: Look & { readonly expected?: RegExp } = {},
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const server = yield* startServer({ DATABASE_URL: "memory:", ...env })
    const { complaints, hosts, page } = yield* open(yield* browser, server.baseUrl, look)
    yield* Effect.promise(() => actions({ page, server }))
    assert.deepStrictEqual(
      complaints.filter((complaint) => expected?.test(complaint) !== true),
      []
    )
    assert.deepStrictEqual([...hosts], ["127.0.0.1"])
  })

/** The sessions that a server has. */
const sessionsOf = async ({ baseUrl }: ServerProcess) => {
  const { sessions } = (await (await fetch(`${baseUrl}/sessions`)).json()) as {
    readonly sessions: ReadonlyArray<{ readonly sessionId: string }>
  }
  return sessions
}

const idle = (page: Page) => page.getByRole("button", { name: "Send", disabled: false }).waitFor()
const agent = (page: Page) => page.getByRole("article", { name: "Agent", exact: true })
const callOf = (page: Page, tool: string) => page.getByRole("article", { name: `Call of ${tool}` })
const events = (page: Page) => page.getByRole("list", { name: "Events, latest first" })

/** Asks for the time, which the user must permit. */
const askTime = async (page: Page) => {
  await choose(page, "current_time", "Ask me")
  await say(page, "What time is it?")
  await callOf(page, "current_time").getByText("waits for your permission").waitFor()
}

const optioned = Agent.make({
  name: "optioned",
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

describe("the playground in a browser", () => {
  it.live("connects, and shows what the agent is", () =>
    visit(async ({ page }) => {
      await page.getByText("Connected.").waitFor()
      await page.getByText("A general assistant that can tell the time").waitFor()
      await page.getByText("stream.delta", { exact: true }).waitFor()
      assert.strictEqual(await page.getByLabel("Model").inputValue(), "demo")
      await picture(page, "connected")
    })
  )

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

  it.live("denies a call with a reason that the model reads", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.getByLabel("Reason, if you deny it").fill("it is late")
      await page.getByRole("button", { name: "Deny" }).click()
      await agent(page).getByText("current_time says: Tool call denied: it is late").waitFor()
      await callOf(page, "current_time").getByText("denied", { exact: true }).waitFor()
      await picture(page, "denied")
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

  it.live("asks again about a call that it was stopped before", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.getByRole("button", { name: "Stop" }).click()
      await callOf(page, "current_time").getByText("not answered yet").waitFor()
      await say(page, "my name is Ada")
      await page.getByRole("button", { name: "Approve" }).click()
      await agent(page).getByText("Nice to meet you, Ada.").waitFor()
    })
  )

  it.live("resumes a session after a reload, with its call still open", () =>
    visit(async ({ page }) => {
      await askTime(page)
      await page.reload()
      await page.getByRole("button", { name: /^Resume / }).click()
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
      assert.strictEqual(await page.getByRole("button", { name: "Older ones" }).count(), 0)
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
        await page.getByRole("button", { name: /^Resume / }).click()
        await page.getByText("Tools of this page (2)").click()
        await page.getByRole("button", { name: "Remove get_mood" }).click()
        await page.getByRole("button", { name: "Remove get_weather" }).click()
        await say(page, "weather in Rome")
        await agent(page).getByText("I have no tool that tells the weather.").waitFor()
        await idle(page)
        assert.notInclude(await (await fetch(`${server.baseUrl}/sessions`)).text(), "get_weather")
      })
  )

  it.live("shows errors as what they are", () =>
    visit(
      async ({ page, server }) => {
        await say(page, "fail midway")
        await page.getByText("The turn ended with an error.").waitFor({ timeout: 30_000 })
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

  it.live("sets options, shows no secret, and makes nothing of a model's HTML", () =>
    Effect.gen(function* () {
      const { complaints, hosts, page } = yield* open(yield* browser, yield* baseUrl, { width: 1920, height: 900 })
      yield* Effect.promise(async () => {
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
        await page.getByRole("button", { name: /^Resume / }).click()
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
})
