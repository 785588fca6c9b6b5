import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Agent from "../../../src/agent/Agent.ts"
import * as Scripted from "../../../src/model/Scripted.ts"
import { barriers, browser, open } from "../../support/Chromium.ts"
import { ask, baseUrl, testServer } from "../../support/TestServer.ts"
import { picture, say } from "../Page.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const url = `data:image/png;base64,${png}`

const server = () =>
  testServer({
    agents: [
      Agent.make({
        name: "seeing",
        instructions: "",
        capabilities: { ...Agent.defaultCapabilities, image: { data: {} } }
      }),
      Agent.make({ name: "blind", instructions: "" })
    ],
    model: Scripted.layer(() => Scripted.text("A dot."))
  })

const attached = (page: Page) => page.getByRole("list", { name: "Attached images" }).getByRole("listitem")

/** Gives the message's form a file in an event of a browser. */
const give = (page: Page, type: "paste" | "drop", name: string) =>
  page.getByRole("textbox", { name: "Message" }).evaluate(
    (field, { name, png, type }) => {
      const data = new DataTransfer()
      data.items.add(new File([Uint8Array.from(atob(png), (char) => char.charCodeAt(0))], name, { type: "image/png" }))
      const options = { bubbles: true, cancelable: true }
      field.dispatchEvent(
        type === "paste"
          ? new ClipboardEvent("paste", { ...options, clipboardData: data })
          : new DragEvent("drop", { ...options, dataTransfer: data })
      )
    },
    { name, png, type }
  )

describe("images in a browser", () => {
  it.live("are chosen, pasted and dropped, taken away again, and sent with the message", () =>
    Effect.gen(function* () {
      const { complaints, hosts, page } = yield* open(yield* browser, yield* baseUrl)
      yield* Effect.promise(async () => {
        const file = { name: "chosen.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") }
        await page.getByLabel("Images", { exact: true }).setInputFiles(file)
        await attached(page).getByText("chosen.png").waitFor()
        await give(page, "paste", "pasted.png")
        await attached(page).getByText("pasted.png").waitFor()
        await give(page, "drop", "dropped.png")
        await attached(page).getByText("dropped.png").waitFor()
        await page.getByRole("button", { name: "Remove pasted.png" }).click()
        await page
          .getByLabel("Images", { exact: true })
          .setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") })
        await page.getByRole("alert").getByText("notes.txt is no PNG").waitFor()
        await picture(page, "images-attached")
        assert.deepStrictEqual(await barriers(page), [])
        await say(page, "What is this?")
        await page.getByRole("article", { name: "Agent", exact: true }).getByText("A dot.").waitFor()
        await page.getByRole("button", { name: "Send", disabled: false }).waitFor()
        assert.strictEqual(await attached(page).count(), 0)
        assert.strictEqual(await page.getByRole("alert").count(), 0)
        assert.strictEqual(await page.getByRole("article", { name: "You" }).getByRole("img").count(), 2)
        await picture(page, "images-sent")
        assert.deepStrictEqual(await barriers(page), [])
      })
      const { json } = yield* ask("/sessions/sess_001/history?type=full")
      assert.deepInclude(json, {
        history: {
          full: [
            {
              role: "user",
              content: [
                { type: "image", url },
                { type: "image", url },
                { type: "text", text: "What is this?" }
              ]
            },
            { role: "assistant", content: "A dot." }
          ]
        }
      })
      assert.deepStrictEqual([complaints, [...hosts]], [[], ["127.0.0.1"]])
    }).pipe(Effect.provide(server()))
  )

  it.live("are not asked for where the agent sees none", () =>
    Effect.gen(function* () {
      const { page } = yield* open(yield* browser, yield* baseUrl)
      yield* Effect.promise(async () => {
        await page.getByLabel("Images", { exact: true }).waitFor()
        await page.getByRole("combobox", { name: "Agent" }).selectOption("blind")
        await page.getByLabel("Images", { exact: true }).waitFor({ state: "detached" })
      })
    }).pipe(Effect.provide(server()))
  )
})
