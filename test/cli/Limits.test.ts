import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { askProcess, type ServerProcess, startServer, streamTurn } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"

const create = (server: ServerProcess) => askProcess(server, "/sessions", { agent: { name: "assistant" } })
const idOf = ({ json }: { readonly json: unknown }) => (json as { readonly sessionId: string }).sessionId
const codeOf = ({ json }: { readonly json: unknown }) =>
  (json as { readonly error: { readonly code: string } }).error.code

describe("the limits of the environment", () => {
  it.live.each([{ database: "memory:" }, { database: "sqlite:" }])("hold on $database", ({ database }) =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "aap.db")
      const DATABASE_URL = database === "sqlite:" ? `sqlite:${file}` : database
      const server = yield* startServer({ DATABASE_URL, AAP_LIMIT_SESSIONS: "2", AAP_LIMIT_TURNS: "1" })
      const [first, second] = [idOf(yield* create(server)), idOf(yield* create(server))]
      const refused = yield* create(server)
      assert.deepStrictEqual([refused.status, codeOf(refused)], [429, "too_many_sessions"])
      const turn = yield* streamTurn(server, first, "long 9000")
      yield* turn.until("text_delta")
      const body = { messages: [{ role: "user", content: "hi" }] }
      const other = yield* askProcess(server, `/sessions/${second}/turns`, body)
      assert.deepStrictEqual([other.status, codeOf(other)], [429, "too_many_turns"])
      yield* turn.leave
      yield* server.kill("SIGTERM")
      yield* server.exit
      const next = yield* startServer({ DATABASE_URL, AAP_LIMIT_REQUESTS: "1" })
      assert.strictEqual((yield* askProcess(next, "/meta")).status, 200)
      const third = yield* askProcess(next, "/meta")
      assert.deepStrictEqual([third.status, codeOf(third)], [429, "too_many_requests"])
    })
  )
})
