import { spawn } from "node:child_process"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { rules } from "../../src/conformance/Rules.ts"
import { ScriptedModelServer } from "../../src/conformance/ScriptedModelServer.ts"
import { run } from "../support/CommandLine.ts"
import { environment } from "../support/NodeProcess.ts"
import { startServer } from "../support/ServerProcess.ts"

const model = Layer.orDie(ScriptedModelServer.layer({ port: 0 }))

/** The variables of a server whose model is the scripted one at this address. */
const pointedAt = (url: string) => ({
  DATABASE_URL: "memory:",
  AAP_MODEL: "openai/scripted",
  OPENAI_BASE_URL: `${url}/v1`,
  AAP_API_KEYS: "checker:the-key"
})

/** Runs `effect-aap model`, and gives where it listens. */
const runModel = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [join(import.meta.dirname, "../../src/main.ts"), "model", "--port", "0"], {
        env: environment({})
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  const url = yield* Effect.callback<string>((resume) => {
    let text = ""
    child.stdout.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
      const found = /check URL --model (\S+)\n/.exec(text)?.[1]
      if (found !== undefined) resume(Effect.succeed(found))
    })
  })
  const end = Effect.callback<number | null>((resume) => {
    child.once("exit", (code) => resume(Effect.succeed(code)))
    child.kill("SIGINT")
  })
  return { url, end }
})

describe("effect-aap check", () => {
  it.live("finds that the server of npm start keeps the rules, and prints a row for each", () =>
    Effect.gen(function* () {
      const model = yield* runModel
      const { baseUrl } = yield* startServer(pointedAt(model.url))
      const { code, stderr, stdout } = yield* run(["check", baseUrl, "--model", model.url], { AAP_KEY: "the-key" })
      assert.strictEqual(stderr, "")
      assert.strictEqual(code, 0, stdout)
      const lines = stdout.trimEnd().split("\n")
      assert.deepStrictEqual(
        lines.slice(0, rules.length).map((line) => line.split(/\s+/)[1]),
        rules.map(({ id }) => id)
      )
      const silent = lines.filter((line) => line.startsWith("n/a")).map((line) => line.split(/\s+/)[1])
      assert.deepStrictEqual(silent.toSorted(), [
        "http-images",
        "options",
        "secrets",
        "secrets-on-pages",
        "select-options",
        "undeclared-images",
        "undeclared-modes",
        "undeclared-tools"
      ])
      assert.strictEqual(lines.at(-1), `${rules.length - 8} passed, 0 failed, 8 not applicable`)
      assert.strictEqual(yield* model.end, 0)
    })
  )

  it.live("prints what is broken with its exchanges, and exits with 6", () =>
    Effect.gen(function* () {
      const { url } = yield* ScriptedModelServer
      const { baseUrl } = yield* startServer({ ...pointedAt(url), AAP_API_KEYS: "" })
      const args = ["check", baseUrl, "--model", url, "--rule", "authorization", "--key", "needless"]
      const { code, stdout } = yield* run(args)
      assert.strictEqual(code, 6)
      assert.match(stdout, /^FAIL {2}authorization/)
      assert.include(stdout, "GET /sessions answers 200 without a key; 401 would be right")
      assert.match(stdout, /> POST \/sessions\n> \{"agent":\{"name":"assistant"\}\}\n< 201 application\/json\n< \{/)
      assert.include(stdout, "0 passed, 1 failed, 0 not applicable")
      assert.notInclude(stdout, "needless")
      const json = yield* run([...args, "--json"])
      assert.strictEqual(json.code, 6)
      assert.deepInclude(JSON.parse(json.stdout), {
        rule: "authorization",
        section: "1 Authorization",
        outcome: "fail"
      })
    }).pipe(Effect.provide(model))
  )

  it.live("says at once where a server speaks to another model", () =>
    Effect.gen(function* () {
      const { url } = yield* ScriptedModelServer
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const { code, stderr, stdout } = yield* run(["check", baseUrl, "--model", url])
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.include(stderr, `answers without asking the scripted model; point its server at ${url}/v1`)
    }).pipe(Effect.provide(model))
  )

  it.live("says why it cannot begin, and what would let it", () =>
    Effect.gen(function* () {
      const { url } = yield* ScriptedModelServer
      const { baseUrl } = yield* startServer(pointedAt(url))
      const with_ = (...args: ReadonlyArray<string>) =>
        Effect.map(run(["check", baseUrl, ...args], { AAP_KEY: "the-key" }), ({ code, stderr, stdout }) => {
          assert.deepStrictEqual([code, stdout], [1, ""])
          return stderr
        })
      const model = ["--model", url]
      assert.include(yield* with_("--model", baseUrl), `no scripted model answers at ${baseUrl}; start one`)
      assert.include(yield* with_("--model-port", new URL(url).port), `cannot listen on 127.0.0.1:${new URL(url).port}`)
      assert.include(yield* with_(...model, "--agent", "nobody"), "has no agent nobody; it has: assistant")
      assert.include(yield* with_(...model, "--rule", "manners"), "there is no rule manners; there are: json, ")
      assert.strictEqual(
        yield* with_("--model-port", "99999"),
        "effect-aap: the scripted model cannot listen on port 99999; give one from 0 to 65535, 0 for any that is free\n"
      )
      assert.strictEqual(
        yield* with_(...model, "--patience", "0"),
        "effect-aap: --patience 0 is no time to wait for an answer; give seconds from 1 to 86400, such as 10\n"
      )
      assert.strictEqual(
        yield* with_(...model, "--tool", "teapot"),
        "effect-aap: the agent assistant has no tool teapot; it has: current_time, web_fetch\n"
      )
      assert.include(yield* with_(...model, "--input", "{}"), "--input needs --tool")
      assert.include(yield* with_(...model, "--tool", "current_time", "--input", "[]"), "--input is no JSON object")
      const { code, stderr } = yield* run(["check", url, ...model])
      assert.strictEqual(code, 1)
      assert.include(stderr, "does not answer as an agent server does")
      const refused = yield* run(["check", baseUrl, ...model], { AAP_KEY: "another-key" })
      assert.include(refused.stderr, "401; it asks for a key, or for another one")
      const closed = yield* run(["check", "http://127.0.0.1:1", ...model])
      assert.include(closed.stderr, "ECONNREFUSED")
      for (const url of ["ftp://127.0.0.1", "http://ada:s3cret@127.0.0.1", "http://127.0.0.1?token=s3cret"]) {
        const { stderr } = yield* run(["check", url, ...model])
        assert.include(stderr, "an address is like http://127.0.0.1:3010, with no user, password")
        assert.notInclude(stderr, "s3cret")
      }
    }).pipe(Effect.provide(model))
  )
})
