import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** The bits of a mode that let others in. */
const others = 0o077

/**
 * Puts a text where there is no file yet, whole or not at all: of several processes that begin at the same time one wins,
 * and none reads a half.
 */
const create = (filename: string, text: string): void => {
  mkdirSync(dirname(filename), { recursive: true })
  const draft = `${filename}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  try {
    linkSync(draft, filename)
  } catch (error) {
    if (!existsSync(filename)) throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The text of a file that is its owner's alone; it is made from `text` where there is none. Throws what the system says. */
export const read = (filename: string, text: () => string): string => {
  if (!existsSync(filename)) create(filename, text())
  if ((statSync(filename).mode & others) !== 0) chmodSync(filename, 0o600)
  return readFileSync(filename, "utf8")
}
