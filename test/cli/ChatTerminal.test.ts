import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Agent from "../../src/agent/Agent.ts"
import type { ModelRequest } from "../../src/model/ChatModel.ts"
import * as Scripted from "../../src/model/Scripted.ts"
import { currentTime } from "../../src/tool/CurrentTime.ts"
import { ToolRegistry } from "../../src/tool/ToolRegistry.ts"
import { run } from "../support/CommandLine.ts"
import { openTerminal } from "../support/PseudoTerminal.ts"
import { startServer } from "../support/ServerProcess.ts"
import { baseUrl, testServer } from "../support/TestServer.ts"

const prompt = "you ›"
const interrupt = "\x03"
const endOfInput = "\x04"

describe("effect-aap chat on a terminal", () => {
  it.live("streams, asks before a tool runs, stops a turn on Ctrl-C, and quits", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const terminal = yield* openTerminal(["chat", baseUrl, "--tool", "current_time"])
      const greeting = yield* terminal.until(prompt)
      const id = /session (sess_\w+)\./.exec(greeting)?.[1] ?? ""
      assert.include(greeting, `assistant at ${baseUrl}, session ${id}.`)
      yield* terminal.type("what time is it\r")
      yield* terminal.until("I should ask current_time.")
      yield* terminal.until("→ current_time {}")
      yield* terminal.until("Let it run? current_time {} (y, or why not) ›")
      yield* terminal.type("y\r")
      yield* terminal.until("granted: current_time")
      assert.match(yield* terminal.until("current_time says: "), /← current_time: \w+day, /)
      yield* terminal.until(prompt)
      yield* terminal.type("what time is it\r")
      yield* terminal.until("Let it run?")
      yield* terminal.type("too late\r")
      yield* terminal.until("current_time says: Tool call denied: too late")
      yield* terminal.until(prompt)
      yield* terminal.type("long 2000\r")
      yield* terminal.until("the quick brown fox")
      yield* terminal.type("my name")
      yield* terminal.type(interrupt)
      const stopped = yield* terminal.until(prompt)
      assert.include(stopped, `Stopped. The session is kept; type on, or go on later with: effect-aap chat ${baseUrl}`)
      yield* terminal.until("my name")
      yield* terminal.type(" is Ada\r")
      yield* terminal.until("Nice to meet you, Ada.")
      yield* terminal.until(prompt)
      yield* terminal.type("/nonsense\r")
      yield* terminal.until("There is no /nonsense; /help tells")
      yield* terminal.until(prompt)
      yield* terminal.type("/help\r")
      yield* terminal.until("/quit  end the chat")
      yield* terminal.until(prompt)
      yield* terminal.type("/quit\r")
      yield* terminal.until(`Go on with: effect-aap chat ${baseUrl} --session ${id}`)
      assert.strictEqual(yield* terminal.exit, 0)
      const later = yield* run(["chat", baseUrl, "--session", id, "--message", "what is my name"])
      assert.strictEqual(later.stdout, "Your name is Ada.\n")
    })
  )

  it.live("changes options, secrets and tools from the next message on", () => {
    const requests: Array<ModelRequest> = []
    const agent = Agent.make({
      name: "clerk",
      instructions: ({ token, tone }) => `token=${token} tone=${tone}`,
      tools: ["current_time"],
      options: [
        { type: "secret", name: "token", default: "none" },
        { type: "select", name: "tone", options: ["warm", "cool"], default: "warm" }
      ]
    })
    const model = Scripted.layer((request) => {
      requests.push(request)
      return Scripted.text(`answer ${requests.length}.`)
    })
    return Effect.gen(function* () {
      const terminal = yield* openTerminal(["chat", yield* baseUrl])
      const typing = (line: string, says: string) =>
        terminal.until(prompt).pipe(Effect.andThen(terminal.type(`${line}\r`)), Effect.andThen(terminal.until(says)))
      yield* typing("hi", "answer 1.")
      yield* typing("/option tone=hot", "the option tone is one of: warm, cool")
      yield* typing("/option tone=cool", "Set, from the next message on.")
      yield* typing("/trust current_time", "Set, from the next message on.")
      yield* typing("/secret token", "token ›")
      yield* terminal.type("hunter2\r")
      yield* terminal.until("Set, from the next message on.")
      yield* typing("/settings", "option token = ***")
      yield* terminal.until("tool current_time: trusted")
      yield* typing("hi", "answer 2.")
      yield* typing("/off current_time", "Set, from the next message on.")
      yield* typing("hi", "answer 3.")
      yield* typing("/quit", "Go on with:")
      assert.strictEqual(yield* terminal.exit, 0)
      assert.notInclude(yield* terminal.written, "hunter2")
      assert.deepStrictEqual(
        requests.map(({ system, tools }) => [system, tools.map(({ name }) => name)]),
        [
          ["token=none tone=warm", []],
          ["token=hunter2 tone=cool", ["current_time"]],
          ["token=hunter2 tone=cool", []]
        ]
      )
    }).pipe(Effect.provide(testServer({ agents: [agent], model, tools: ToolRegistry.layer(currentTime) })))
  })

  it.live("keeps what is typed during a turn for the next line, and the lines of a pasted text together", () => {
    const asked: Array<unknown> = []
    const gate = Deferred.makeUnsafe<void>()
    const model = Scripted.layer((request) => {
      asked.push(request.history.at(-1)?.message)
      return Scripted.reply(Scripted.text(`answer ${asked.length}.`), Scripted.wait(Deferred.await(gate)))
    })
    return Effect.gen(function* () {
      const terminal = yield* openTerminal(["chat", yield* baseUrl])
      yield* terminal.until(prompt)
      yield* terminal.paste("first line\nsecond line")
      yield* terminal.type("\r")
      yield* terminal.until("answer 1.")
      yield* terminal.type("typed ahead")
      yield* Deferred.succeed(gate, undefined)
      yield* terminal.until(`${prompt} typed ahead`)
      yield* terminal.type("\r")
      yield* terminal.until("answer 2.")
      yield* terminal.until(prompt)
      yield* terminal.type("/quit\r")
      yield* terminal.until("Go on with:")
      assert.strictEqual(yield* terminal.exit, 0)
      assert.deepStrictEqual(asked, [
        { role: "user", content: "first line\nsecond line" },
        { role: "user", content: "typed ahead" }
      ])
    }).pipe(Effect.provide(testServer({ model })))
  })

  it.live("takes a long text that is pasted, and gives a line back that came to no turn", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const terminal = yield* openTerminal(["chat", baseUrl, "--tool", "current_time"])
      yield* terminal.until(prompt)
      const pasted = Array.from({ length: 60 }, (_, line) => `${line} ${"x".repeat(60)}`).join("\n")
      yield* terminal.paste(`help: ${pasted}`)
      yield* terminal.type("\r")
      yield* terminal.until("ends in that way")
      yield* terminal.until(prompt)
      assert.isBelow((yield* terminal.written).length, 200_000)
      yield* terminal.type("what time is it\r")
      yield* terminal.until("Let it run?")
      yield* terminal.type(interrupt)
      yield* terminal.until("Stopped.")
      yield* terminal.until(prompt)
      yield* terminal.type("my name is Eve\r")
      yield* terminal.until("Let it run?")
      yield* terminal.type(interrupt)
      yield* terminal.until("Stopped.")
      yield* terminal.until(`${prompt} my name is Eve`)
      yield* terminal.type("\r")
      yield* terminal.until("Let it run?")
      yield* terminal.type("y\r")
      yield* terminal.until("Nice to meet you, Eve.")
      yield* terminal.until(prompt)
      yield* terminal.type("/quit\r")
      assert.strictEqual(yield* terminal.exit, 0)
    })
  )

  it.live("leaves a call open where its question is left, and asks again when the session is gone on with", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const first = yield* openTerminal(["chat", baseUrl, "--tool", "current_time"])
      const id = /session (sess_\w+)\./.exec(yield* first.until(prompt))?.[1] ?? ""
      yield* first.type("what time is it\r")
      yield* first.until("Let it run?")
      yield* first.type(interrupt)
      yield* first.until("Stopped.")
      yield* first.until(prompt)
      yield* first.type("my name is Bo\r")
      yield* first.until("Let it run?")
      yield* first.type("y\r")
      yield* first.until("← current_time: ")
      yield* first.until("Nice to meet you, Bo.")
      yield* first.until(prompt)
      yield* first.type("what time is it\r")
      yield* first.until("Let it run?")
      yield* first.type(interrupt)
      yield* first.until("Stopped.")
      yield* first.until(prompt)
      yield* first.type(interrupt)
      yield* first.until("Go on with:")
      assert.strictEqual(yield* first.exit, 0)
      const second = yield* openTerminal(["chat", baseUrl, "--session", id])
      yield* second.until("Let it run? current_time {}")
      yield* second.type("y\r")
      yield* second.until("current_time says: ")
      yield* second.until(prompt)
      yield* second.type(endOfInput)
      assert.strictEqual(yield* second.exit, 0)
    })
  )

  it.live("asks before it runs a command, in full, and not where all is granted", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const command = `echo ${"x".repeat(300)}; echo $((6*7))`
      const call = `call run_command with ${JSON.stringify({ command })}`
      const asking = yield* openTerminal(["chat", baseUrl, "--local", "--message", call])
      yield* asking.until("Let it run? run_command")
      yield* asking.until("echo $((6*7))")
      yield* asking.type("y\r")
      yield* asking.until("run_command says: exit code 0")
      yield* asking.until("42")
      assert.strictEqual(yield* asking.exit, 0)
      const granted = yield* openTerminal(["chat", baseUrl, "--local", "--grant", "all", "--message", call])
      assert.notInclude(yield* granted.until("run_command says: exit code 0"), "Let it run?")
      assert.strictEqual(yield* granted.exit, 0)
    })
  )

  it.live("asks for the key that a server wants, and shows it nowhere", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:", AAP_API_KEYS: "alice:key-a" })
      const terminal = yield* openTerminal(["chat", baseUrl])
      yield* terminal.until("The server wants a key ›")
      yield* terminal.type("key-a\r")
      yield* terminal.until(prompt)
      yield* terminal.type("/quit\r")
      assert.strictEqual(yield* terminal.exit, 0)
      assert.notInclude(yield* terminal.written, "key-a")
    })
  )

  it.live("asks which agent, and for secrets, and lets no content control the terminal", () => {
    const requests: Array<ModelRequest> = []
    const agent = (name: string) =>
      Agent.make({
        name,
        title: `The ${name}`,
        instructions: ({ token }) => `${name} token=${token}`,
        options: [{ type: "secret", name: "token", default: "none" }]
      })
    const model = Scripted.layer((request) => {
      requests.push(request)
      return Scripted.text("red \x1b[31m", "title \x1b]0;owned\x07 end")
    })
    return Effect.gen(function* () {
      const terminal = yield* openTerminal(["chat", yield* baseUrl, "--secret", "token"])
      yield* terminal.until("Which agent?")
      yield* terminal.until("The second")
      yield* terminal.type("\x1b[B\r")
      yield* terminal.until("token ›")
      yield* terminal.type("hunter2\r")
      yield* terminal.until(prompt)
      yield* terminal.type("hi\r")
      yield* terminal.until("red \\x1b[31mtitle \\x1b]0;owned\\x07 end")
      yield* terminal.until(prompt)
      yield* terminal.type("/quit\r")
      assert.strictEqual(yield* terminal.exit, 0)
      const written = yield* terminal.written
      for (const text of ["hunter2", "\x1b[31m", "\x1b]0", "\x07"]) assert.notInclude(written, text)
      assert.strictEqual(requests[0]?.system, "second token=hunter2")
    }).pipe(Effect.provide(testServer({ agents: [agent("first"), agent("second")], model })))
  })

  it.live("ends on Ctrl-C at a question that it cannot do without", () => {
    const agents = ["first", "second"].map((name) => Agent.make({ name, instructions: "" }))
    return Effect.gen(function* () {
      const terminal = yield* openTerminal(["chat", yield* baseUrl])
      yield* terminal.until("Which agent?")
      yield* terminal.type(interrupt)
      assert.strictEqual(yield* terminal.exit, 130)
    }).pipe(Effect.provide(testServer({ agents })))
  })

  it.live("ends a script on Ctrl-C as shells have it", () =>
    Effect.gen(function* () {
      const { baseUrl } = yield* startServer({ DATABASE_URL: "memory:" })
      const terminal = yield* openTerminal(["chat", baseUrl, "--message", "long 2000"])
      yield* terminal.until("the quick brown fox")
      yield* terminal.type(interrupt)
      assert.strictEqual(yield* terminal.exit, 130)
    })
  )
})
