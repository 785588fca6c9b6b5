import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as ChatSettings from "../../src/cli/ChatSettings.ts"
import { clerk } from "../support/Clerk.ts"

const settings = ChatSettings.make(clerk, { name: "clerk", tools: [{ name: "look" }], options: { token: "***" } })

/** The settings that a line asks for. */
const changed = (line: string, from = settings): ChatSettings.Settings => {
  const command = ChatSettings.parse(from, line)
  if (command === undefined || Result.isFailure(command) || command.success.asks !== "change") return assert.fail(line)
  return command.success.settings
}

describe("the settings of a chat", () => {
  it("tell what was changed, once: tools as a whole, options those that were set", () => {
    assert.deepStrictEqual(ChatSettings.toTell(settings), {})
    const settled = changed("/option tone=cool", changed("/option place=a = b", changed("/trust write")))
    assert.deepStrictEqual(ChatSettings.toTell(settled), {
      agent: {
        tools: [{ name: "look" }, { name: "write", trust: true }],
        options: { place: "a = b", tone: "cool" }
      }
    })
    const told = ChatSettings.told(settled)
    assert.deepStrictEqual(ChatSettings.toTell(told), {})
    assert.deepStrictEqual(ChatSettings.toTell(changed("/tool write", told)), {
      agent: { tools: [{ name: "look" }, { name: "write", trust: false }] }
    })
    assert.deepStrictEqual(ChatSettings.toTell(changed("/off look", told)), {
      agent: { tools: [{ name: "write", trust: true }] }
    })
    assert.deepStrictEqual(ChatSettings.toTell(ChatSettings.withOption(told, "token", "new")), {
      agent: { options: { token: "new" } }
    })
  })

  it("are changed by a configuration as by commands", () => {
    const config = { name: "clerk", tools: [{ name: "look", trust: true }], options: { tone: "cool" } }
    assert.deepStrictEqual(
      ChatSettings.withConfig(settings, config),
      changed("/trust look", changed("/option tone=cool"))
    )
    assert.deepStrictEqual(ChatSettings.withConfig(settings, { name: "clerk" }), settings)
  })

  it("are shown in full, but for secrets", () => {
    const text = ChatSettings.describe(ChatSettings.withOption(changed("/trust write"), "token", "hunter2"))
    assert.strictEqual(
      text,
      `option place = here
option token = ***
option tone = warm (one of warm, cool)
tool look: asks
tool write: trusted`
    )
    const nothing = ChatSettings.make({ name: "bare", version: "1" }, { name: "bare" })
    assert.strictEqual(ChatSettings.describe(nothing), "This agent has no options, and no tools of its own.")
  })

  it.each(["hello", "/etc/hosts is what?", "/ what", "what does /quit do?"])("takes %j for a message", (line) => {
    assert.isUndefined(ChatSettings.parse(settings, line))
  })

  it.each([
    { line: "/fly", says: "There is no /fly; /help tells what can be typed." },
    { line: "/option", says: "/option is NAME=VALUE, such as /option model=gpt-5" },
    {
      line: "/option token=x",
      says: "the option token is secret; give /secret token, and its value where it is not seen"
    },
    { line: "/secret tone", says: "clerk has no secret option tone; it has: token" },
    { line: "/tool fly", says: "clerk has no tool fly; it has: look, write" },
    { line: "/off fly", says: "clerk has no tool fly; it has: look, write" }
  ])("refuses $line, and says what is right", ({ line, says }) => {
    assert.deepStrictEqual(ChatSettings.parse(settings, line), Result.fail(says))
  })

  it.each(["quit", "help", "settings"] as const)("knows /%s", (asks) => {
    assert.deepStrictEqual(ChatSettings.parse(settings, `/${asks}`), Result.succeed({ asks }))
    assert.include(ChatSettings.help, `/${asks}`)
  })
})
