import { execFileSync } from "node:child_process"
import { join } from "node:path"

const script = join(import.meta.dirname, "../../src/playground/build.mjs")

/** Builds the page from its sources as they are, before there are tests: one file would empty what another one serves. */
export default () => void execFileSync(process.execPath, [script])
