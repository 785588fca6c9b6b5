import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import type { ModelRequest } from "../../src/model/ChatModel.ts"
import * as Demo from "../../src/model/Demo.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { interrupt, run, unheard } from "../support/CommandLine.ts"
import { serve } from "../support/LoopbackServer.ts"
import { startServer } from "../support/ServerProcess.ts"
import { temporaryFolder } from "../support/TemporaryFile.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const sessionOf = (stderr: string): string => /^session (sess_\w+)$/m.exec(stderr)?.[1] ?? ""

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:1"

const capabilities: Agent.Agent["capabilities"] = {
  history: { full: {} },
  stream: { delta: {}, message: {}, none: {} },
  application: { tools: {} }
}

/** A server in this process, whose requests to the model can be read. */
const observed = (reply: () => Scripted.Reply) => {
  const requests: Array<ModelRequest> = []
  const agent = Agent.make({
    name: "clerk",
    instructions: ({ token, tone }) => `token=${token} tone=${tone}`,
    options: [
      { type: "secret", name: "token", default: "none" },
      { type: "select", name: "tone", options: ["warm", "cool"], default: "warm" }
    ],
    capabilities
  })
  const model = Scripted.layer((request) => {
    requests.push(request)
    return reply()
  })
  return { layer: testServer({ agents: [agent, { ...agent, name: "other" }], model }), requests }
}

describe("effect-aap chat --message", () => {
  it.live("prints the answer alone, and exits by its stop reason", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      for (const { answer, code, says, text } of [
        {
          text: "my name is Ada",
          code: 0,
          answer: "Nice to meet you, Ada. I am a demo, but I will remember.\n",
          says: ""
        },
        {
          text: "max tokens",
          code: 3,
          answer: "I could go on about this for ever, and\n",
          says: "cut off at the limit"
        },
        { text: "refuse", code: 4, answer: "I would rather not.\n", says: "declined" },
        { text: "fail", code: 5, answer: "", says: "The turn failed on the server." }
      ]) {
        for (const stream of code === 0 ? ["delta", "message", "none"] : ["delta"]) {
          const ran = yield* run(["chat", baseUrl, "--stream", stream, "--message", text])
          assert.deepStrictEqual([ran.code, ran.stdout], [code, answer], stream)
          assert.match(ran.stderr, /^session sess_\w+$/m)
          assert.include(ran.stderr, says)
        }
      }
    })
  )

  it.live("runs trusted tools, denies others, or leaves them open for a later decision", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const ask = (...args: ReadonlyArray<string>) => run(["chat", baseUrl, "--message", "what time is it", ...args])
      const trusted = yield* ask("--trust", "current_time")
      assert.strictEqual(trusted.code, 0)
      assert.match(trusted.stdout, /^Let me look that up\.\ncurrent_time says: \w+day, /)
      assert.match(trusted.stderr, /^→ current_time \{\}\n← current_time: \w+day, /m)
      const denied = yield* ask("--tool", "current_time")
      assert.strictEqual(denied.code, 0)
      assert.include(denied.stdout, "current_time says: Tool call denied: nobody is there to grant it")
      const left = yield* ask("--tool", "current_time", "--grant", "ask")
      assert.deepStrictEqual([left.code, left.stdout], [2, "Let me look that up.\n"])
      const id = sessionOf(left.stderr)
      assert.include(left.stderr, `Decide on them with: effect-aap chat ${baseUrl} --session ${id}`)
      const still = yield* run(["chat", baseUrl, "--session", id, "--grant", "ask", "--message", "so?"])
      assert.deepStrictEqual([still.code, still.stdout], [2, ""])
      const resumed = yield* run(["chat", baseUrl, "--session", id, "--grant", "all", "--message", "my name is Bo"])
      assert.strictEqual(resumed.code, 0)
      assert.match(resumed.stdout, /^current_time says: \w+day, .*\nNice to meet you, Bo\. /)
      assert.include(resumed.stderr, "granted: current_time")
    })
  )

  it.live("prints each event as a line of JSON, and the sessions that there are", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const told = yield* run(["chat", baseUrl, "--json", "--stream", "message", "--message", "my name is Ada"])
      assert.deepStrictEqual(
        told.stdout.split("\n").map((line): unknown => (line === "" ? line : JSON.parse(line))),
        [
          { event: "turn_start", data: {} },
          { event: "text", data: { text: "Nice to meet you, Ada. I am a demo, but I will remember." } },
          { event: "turn_stop", data: { stopReason: "end_turn" } },
          ""
        ]
      )
      const id = sessionOf(told.stderr)
      assert.strictEqual(told.stderr, `session ${id}\n`)
      const listed = yield* run(["sessions", "list", baseUrl])
      assert.deepStrictEqual(listed, { code: 0, stdout: `${id}  assistant\n`, stderr: "" })
      const deleted = yield* run(["sessions", "delete", baseUrl, id])
      assert.deepStrictEqual(deleted, { code: 0, stdout: `${id} is deleted.\n`, stderr: "" })
      assert.strictEqual((yield* run(["sessions", "list", baseUrl])).stdout, "")
      const gone = yield* run(["chat", baseUrl, "--session", id, "--message", "hi"])
      assert.deepStrictEqual([gone.code, gone.stdout], [1, ""])
      assert.match(gone.stderr, new RegExp(`^effect-aap: .*${id}.*\n$`))
    })
  )

  it.live("sets options and secrets, and shows a secret nowhere", () => {
    const { layer, requests } = observed(() => Scripted.text("The secret is \x1b[2Jsafe."))
    return Effect.gen(function* () {
      const url = yield* baseUrl
      const args = ["chat", url, "--agent", "clerk", "--option", "tone=cool", "--secret", "token", "--message", "hi"]
      for (const more of [[], ["--json"]]) {
        const { code, stderr, stdout } = yield* run([...args, ...more], {}, "hunter2\nrest\n")
        assert.strictEqual(code, 0, stderr)
        assert.notInclude(stdout + stderr, "hunter2")
        assert.notInclude(stdout + stderr, "\x1b")
        assert.strictEqual(requests.at(-1)?.system, "token=hunter2 tone=cool")
      }
      const begun = yield* run(["chat", url, "--agent", "clerk", "--message", "hi"])
      const later = ["chat", url, "--session", sessionOf(begun.stderr), "--message", "hi"]
      yield* run([...later, "--option", "tone=cool", "--secret", "token"], {}, "hunter3\n")
      yield* run(later)
      const systems = requests.slice(-3).map(({ system }) => system)
      assert.deepStrictEqual(systems, ["token=none tone=warm", "token=hunter3 tone=cool", "token=hunter3 tone=cool"])
      const unknown = yield* run([...later, "--option", "colour=red"])
      assert.strictEqual(unknown.stderr, "effect-aap: clerk has no option colour; it has: token, tone\n")
      const none = yield* run(args, {}, null)
      assert.deepStrictEqual([none.code, none.stdout], [1, ""])
      assert.include(none.stderr, "effect-aap: the values of token are read from the standard input, a line each")
      const several = yield* run(["chat", url, "--message", "hi"])
      assert.deepStrictEqual(several, {
        code: 1,
        stdout: "",
        stderr: "effect-aap: give --agent with one of: clerk, other\n"
      })
    }).pipe(Effect.provide(layer))
  })

  it.live("lends local tools where it is told to, and nowhere else", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "note.txt")
      writeFileSync(file, "remember the milk")
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:", AAP_API_KEYS: "alice:s3cret" })
      const call = (name: string, input: object, ...args: ReadonlyArray<string>) =>
        run(["chat", baseUrl, "--message", `call ${name} with ${JSON.stringify(input)}`, ...args], {
          AAP_KEY: "s3cret"
        })
      const lent = ["--local", "--grant", "all"]
      assert.include((yield* call("read_file", { path: file }, ...lent)).stdout, "read_file says: remember the milk")
      const command = { command: "echo $((6*7)) key=$AAP_KEY; exit 3" }
      assert.include((yield* call("run_command", command, ...lent)).stdout, "run_command says: exit code 3\n42 key=\n")
      const denied = yield* call("run_command", command, "--local")
      assert.include(denied.stdout, "run_command says: Tool call denied: nobody is there to grant it")
      const off = yield* call("run_command", command, "--grant", "all")
      assert.notInclude(off.stdout, "42 key=")
      assert.include(off.stdout, "run_command")
    })
  )

  it.live("spells what a server's names have that a terminal acts on, in what it complains of too", () =>
    Effect.gen(function* () {
      const meta = { version: 3, agents: [{ name: "x\x1b]0;y\x07", version: "1" }] }
      const port = yield* serve((_, response) => response.end(JSON.stringify(meta)))
      const { stderr } = yield* run(["chat", `http://127.0.0.1:${port}`, "--local", "--message", "hi"])
      assert.strictEqual(stderr, "effect-aap: x\\x1b]0;y\\x07 takes no tools of an application; leave out --local\n")
    })
  )

  it.live("ends though a command has started what goes on", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const say = `call run_command with ${JSON.stringify({ command: "setsid sleep 300 & echo pid=$!" })}`
      const { code, stdout } = yield* run(["chat", baseUrl, "--local", "--grant", "all", "--message", say])
      const pid = Number(/^pid=(\d+)$/m.exec(stdout)?.[1])
      assert.isAbove(pid, 1, stdout)
      assert.isTrue(yield* Effect.sync(() => process.kill(pid, "SIGKILL")))
      assert.strictEqual(code, 0)
    })
  )

  it.live("keeps the tools of another application declared, and says that they cannot run here", () => {
    const layer = testServer({
      agents: [Agent.make({ name: "agent", instructions: "", tools: ["current_time"], capabilities })],
      model: Demo.layer({ pace: 0 }),
      tools: ToolRegistry.layer(currentTime)
    })
    return Effect.gen(function* () {
      const url = yield* baseUrl
      const tools = [{ name: "get_weather", description: "", parameters: { type: "object", properties: {} } }]
      const created = yield* Effect.promise(async () => {
        const body = JSON.stringify({ agent: { name: "agent" }, tools })
        const response = await fetch(`${url}/sessions`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body
        })
        return (await response.json()) as { readonly sessionId: string }
      })
      const ran = yield* run(["chat", url, "--session", created.sessionId, "--message", "weather in Paris"])
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "get_weather is a tool of another application and cannot be run here")
    }).pipe(Effect.provide(layer))
  })

  it.live("sends its key, and says what a wrong one would have to be", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:", AAP_API_KEYS: "alice:key-a" })
      const args = ["chat", baseUrl, "--message", "my name is Ada"]
      assert.strictEqual((yield* run(args, { AAP_KEY: "key-a" })).code, 0)
      assert.strictEqual((yield* run([...args, "--key", "key-a"])).code, 0)
      for (const env of [{}, { AAP_KEY: "key-b" }]) {
        for (const command of [args, ["sessions", "list", baseUrl]]) {
          const { code, stderr, stdout } = yield* run(command, env)
          assert.deepStrictEqual([code, stdout], [1, ""])
          assert.match(stderr, /^effect-aap: the server wants a key that it knows \(.*\); put one in AAP_KEY\n$/)
          assert.notInclude(stderr, "key-b")
        }
      }
    })
  )

  it.live.each(["SIGINT", "SIGTERM"] as const)(
    "ends on %s with 130: what it has printed is no whole answer",
    (signal) =>
      Effect.gen(function* () {
        const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
        const { code, stdout } = yield* interrupt(["chat", baseUrl, "--message", "long 3000"], signal)
        assert.strictEqual(code, 130)
        assert.match(stdout, /^the/)
      })
  )

  it.live("ends where nobody takes its answer any more, and stops the turn", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const { code, stderr } = yield* unheard(["chat", baseUrl, "--message", "long 100000"])
      assert.strictEqual(code, 1)
      assert.match(stderr, /^session sess_\w+\neffect-aap: the standard output takes no more: .*EPIPE\n$/)
    })
  )

  it.live("says in a line what is wrong, and what would be right", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const hi = ["--message", "hi"]
      for (const { args, says } of [
        {
          args: [nowhere, ...hi],
          says: "the server cannot be reached: connect ECONNREFUSED 127.0.0.1:1; give the address"
        },
        {
          args: ["localhost:3010", ...hi],
          says: '"localhost:3010" is no address of a server; give one such as http://127.0.0.1:3010'
        },
        { args: [`${baseUrl}/v9`, ...hi], says: "nothing stands at /v9/meta" },
        { args: [baseUrl, "--agent", "x", ...hi], says: "there is no agent x; give --agent with one of: assistant" },
        { args: [baseUrl, "--option", "tone=x", ...hi], says: "assistant has no option tone; it has: model" },
        { args: [baseUrl, "--secret", "model", ...hi], says: "assistant has no secret option model; it has: none" },
        { args: [baseUrl, "--tool", "fly", ...hi], says: "assistant has no tool fly; it has: current_time, web_fetch" },
        {
          args: [baseUrl, "--session", "sess_0", "--agent", "assistant", ...hi],
          says: "a session keeps its agent; leave --agent out with --session"
        },
        { args: [baseUrl], says: "there is no terminal to chat on; give --message TEXT" },
        { args: [baseUrl, "--json"], says: "--json needs --message" },
        { args: [baseUrl, "--message", " "], says: "--message has nothing to say" }
      ]) {
        const { code, stderr, stdout } = yield* run(["chat", ...args])
        assert.deepStrictEqual([code, stdout], [1, ""], says)
        assert.match(stderr, /^effect-aap: [^\n]+\n$/)
        assert.include(stderr, says)
      }
    })
  )
})
