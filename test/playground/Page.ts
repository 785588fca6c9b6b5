import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import type { Locator, Page } from "playwright-core"
import { type Look, browser, open } from "../support/Chromium.ts"
import { type ServerProcess, startServer } from "../support/ServerProcess.ts"

const root = resolve(import.meta.dirname, "../..")
const screenshots = join(root, "test/output/playground")

/** Keeps what the page looks like, for people. */
export const picture = async (page: Page, name: string) => {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: join(screenshots, `${name}.png`) })
}

/** Says something. */
export const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.getByRole("button", { name: "Send" }).click()
}

/** Sets what the agent may do with a tool. */
export const choose = (page: Page, tool: string, mode: "Off" | "Ask me" | "Trusted") =>
  page.getByRole("group", { name: tool }).getByRole("radio", { name: mode }).check()

/** A page, and the server that it came from. */
export interface Visit {
  readonly page: Page
  readonly server: ServerProcess
}

interface Visiting extends Look {
  /** Complaints that belong to what is done. */
  readonly expected?: RegExp
}

/**
 * Visits the page of a server. It must have no error, break no policy, and ask no host but this machine, whatever is done
 * there.
 */
export const visitAt = (url: string, actions: (page: Page) => Promise<void>, { expected, ...look }: Visiting = {}) =>
  Effect.gen(function* () {
    const { complaints, hosts, page } = yield* open(yield* browser, url, look)
    yield* Effect.promise(() => actions(page))
    assert.deepStrictEqual(
      complaints.filter((complaint) => expected?.test(complaint) !== true),
      []
    )
    assert.deepStrictEqual([...hosts], ["127.0.0.1"])
  })

/** Visits a server of its own with the demo model. */
export const visit = (
  actions: (visit: Visit) => Promise<void>,
  visiting: Visiting = {},
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const server = yield* startServer({ DATABASE_URL: "memory:", ...env })
    yield* visitAt(server.baseUrl, (page) => actions({ page, server }), visiting)
  })

/** Whether the focus is on what is found. */
export const isFocused = (found: Locator) => found.evaluate((element) => element === document.activeElement)

/** Requests of this address and method, held back until they are let go on. */
export const hold = async (page: Page, url: string, method: string) => {
  const { promise: isOpen, resolve: goOn } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() === method) await isOpen
    await route.fallback()
  })
  return goOn
}

/** Requests of this address and method, held back until they are let fail. */
export const failing = async (page: Page, url: string, method: string) => {
  const { promise: isOver, resolve: fail } = Promise.withResolvers<void>()
  await page.route(url, async (route) => {
    if (route.request().method() !== method) return route.fallback()
    await isOver
    await route.abort()
  })
  return fail
}

/** The sessions that a server has. */
export const sessionsOf = async ({ baseUrl }: ServerProcess) => {
  const { sessions } = (await (await fetch(`${baseUrl}/sessions`)).json()) as {
    readonly sessions: ReadonlyArray<{ readonly sessionId: string }>
  }
  return sessions
}

/** Waits until the agent has ended. */
export const idle = (page: Page) => page.getByRole("button", { name: "Send", disabled: false }).waitFor()
/** What the agent said. */
export const agent = (page: Page) => page.getByRole("article", { name: "Agent", exact: true })
/** A call as it stands in the chat. */
export const callOf = (page: Page, tool: string) => page.getByRole("article", { name: `Call of ${tool}` })
/** The events that the page has heard. */
export const events = (page: Page) => page.getByRole("list", { name: "Events, latest first" })

/** The chat itself, without what is told of it to who does not see it. */
export const conversation = (page: Page) => page.getByRole("region", { name: "Conversation" })

/** Asks for the time, which the user must permit. */
export const askTime = async (page: Page) => {
  await choose(page, "current_time", "Ask me")
  await say(page, "What time is it?")
  await callOf(page, "current_time").getByText("waits for your permission").waitFor()
}
