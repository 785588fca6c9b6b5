import { execFileSync } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import chromium from "@sparticuz/chromium"
import axe from "axe-core"
import { Effect } from "effect"
import { type Browser, type Page, chromium as playwright } from "playwright-core"

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}

const root = resolve(import.meta.dirname, "../..")
const screenshots = join(root, "test/output/playground")

/** Builds the page from its sources as they are. */
export const build = () => execFileSync(process.execPath, [join(root, "src/playground/build.mjs")])

/** What makes a browser other than people's: with these it would not keep pages from each other, nor the page's parts. */
const foreign = ["--single-process", "--disable-web-security", "--allow-running-insecure-content", "--no-zygote"]
const args = chromium.args.filter((flag) => !foreign.includes(flag))

/** A real Chromium, gone with the scope. */
export const browser = Effect.acquireRelease(
  Effect.promise(async () =>
    playwright.launch({ executablePath: await chromium.executablePath(), args, headless: true })
  ),
  (browser) => Effect.promise(() => browser.close())
)

/** How a page is looked at. */
export interface Look {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: "light" | "dark"
}

/** A page that shares nothing with others, the hosts that it asks, and what it complains of: errors, and what its policy refused. */
export const open = (browser: Browser, url: string, { colorScheme = "light", height = 800, width = 1400 }: Look = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme })
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      const complaints: Array<string> = []
      page.on("pageerror", (error) => complaints.push(String(error)))
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(message.text())
      })
      const hosts = new Set<string>()
      page.on("request", (request) => hosts.add(new URL(request.url()).hostname))
      await page.goto(url)
      return { page, complaints, hosts }
    }),
    ({ page }) => Effect.promise(() => page.context().close())
  )

/** Keeps what the page looks like, for people. */
export const picture = async (page: Page, name: string) => {
  mkdirSync(screenshots, { recursive: true })
  await page.screenshot({ path: join(screenshots, `${name}.png`) })
}

/** What the page keeps from people who see, hear or move otherwise, as axe-core finds it. */
export const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await window.axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}

/** Says something. */
export const say = async (page: Page, text: string) => {
  await page.getByRole("textbox", { name: "Message" }).fill(text)
  await page.getByRole("button", { name: "Send" }).click()
}

/** Sets what the agent may do with a tool. */
export const choose = (page: Page, tool: string, mode: "Off" | "Ask me" | "Trusted") =>
  page.getByRole("group", { name: tool }).getByRole("radio", { name: mode }).check()
