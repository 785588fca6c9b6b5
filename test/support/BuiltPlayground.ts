import { execFileSync } from "node:child_process"
import { join } from "node:path"

const script = join(import.meta.dirname, "../../src/playground/build.mjs")

/** Builds the page from its sources before there are tests: a build empties its folder, which servers of others are reading. */
export default () => {
  execFileSync(process.execPath, [script])
}
