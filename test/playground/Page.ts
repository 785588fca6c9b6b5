import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import type { Page } from "playwright-core"

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
