import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import * as MemorySessionStore from "../../../src/session/MemorySessionStore.ts"
import type { SessionStore } from "../../../src/session/SessionStore.ts"
import * as ServerTool from "../../../src/tool/ServerTool.ts"
import { ToolRegistry } from "../../../src/tool/ToolRegistry.ts"
import { barriers } from "../../support/Chromium.ts"
import { baseUrl, openSession, says, takeTurn, testServer } from "../../support/TestServer.ts"
import { agent, callOf, idle, picture, say, visitAt } from "../Page.ts"

const look = ServerTool.make({
  name: "look",
  description: "",
  input: Schema.Struct({}),
  handler: () => Effect.succeed("seen")
})

const serverOf = (name: string, store: Layer.Layer<SessionStore>) =>
  testServer({
    agents: [Agent.make({ name, instructions: "", tools: ["look"] })],
    tools: ToolRegistry.layer(look),
    model: Scripted.layer((_, index) => (index === 0 ? Scripted.call("look") : Scripted.text("Fine."))),
    store
  })

describe("a session whose agent is gone", () => {
  it.live("can be read on the page, and is not gone on with", () =>
    Effect.gen(function* () {
      const store = Layer.succeedContext(yield* Layer.build(MemorySessionStore.layer()))
      const id = yield* Effect.gen(function* () {
        const id = yield* openSession({ agent: { name: "old", tools: [{ name: "look" }] } })
        yield* takeTurn(id, says("What do you see?"))
        return id
      }).pipe(Effect.provide(serverOf("old", store)))
      yield* Effect.gen(function* () {
        yield* visitAt(yield* baseUrl, async (page) => {
          await page.getByRole("button", { name: `Resume ${id}` }).click()
          await page.getByRole("article", { name: "You" }).getByText("What do you see?").waitFor()
          await callOf(page, "look").getByText("not answered yet").waitFor()
          const send = page.getByRole("button", { name: "Send" })
          await page.getByText("The server no longer has the agent old").first().waitFor()
          assert.strictEqual(await page.getByText("The server no longer has the agent old").count(), 2)
          await page.getByRole("textbox", { name: "Message" }).fill("and now?")
          await page.keyboard.press("Enter")
          assert.isTrue(await send.isDisabled())
          assert.strictEqual(await page.getByRole("textbox", { name: "Message" }).inputValue(), "and now?")
          assert.strictEqual(await page.getByRole("button", { name: "Approve" }).count(), 0)
          await picture(page, "gone-agent")
          assert.deepStrictEqual(await barriers(page), [])
          await page.getByRole("button", { name: "New session" }).click()
          await say(page, "hello")
          await agent(page).getByText("Fine.").waitFor()
          await idle(page)
        })
      }).pipe(Effect.provide(serverOf("new", store)))
    })
  )
})
