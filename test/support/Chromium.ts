import chromium from "@sparticuz/chromium"
import axe from "axe-core"
import { Effect } from "effect"
import { type Browser, type Page, chromium as playwright } from "playwright-core"

declare global {
  namespace globalThis {
    /** In a page that it was put into. */
    var axe: typeof import("axe-core")
  }
}

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
  readonly locale?: string
}

/** A page that shares nothing with others, the hosts that it asks, and what it complains of: errors, and what its policy refused. */
export const open = (
  browser: Browser,
  url: string,
  { colorScheme = "light", height = 800, locale = "en-US", width = 1400 }: Look = {}
) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, locale })
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

/** What the page keeps from people who see, hear or move otherwise, as axe-core finds it. */
export const barriers = async (page: Page): Promise<ReadonlyArray<string>> => {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  })
}
