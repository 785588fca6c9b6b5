import { connect, type Protocol, type Session } from "effect-aap/client"

const find = <E extends Element>(selector: string, type: new () => E): E => {
  const found = document.querySelector(selector)
  if (found instanceof type) return found
  throw new Error(`the page has no ${selector}`)
}
const conversation = find("#conversation", HTMLElement)
const form = find("form", HTMLFormElement)
const message = find("input", HTMLInputElement)
const send = find("#send", HTMLButtonElement)
const stop = find("#stop", HTMLButtonElement)

/** Begins a paragraph. All of it is text: what a model writes is never HTML. */
const write = (text: string) => {
  const paragraph = document.createElement("p")
  paragraph.textContent = text
  conversation.append(paragraph)
  return paragraph
}

const preferences = {
  name: "get_preferences",
  description: "What the user's browser prefers.",
  parameters: { type: "object", properties: {} },
  run: () => ({ language: navigator.language, isDark: matchMedia("(prefers-color-scheme: dark)").matches })
}
const permit = ({ input, name }: Protocol.ToolCall) =>
  confirm(`May the agent use ${name} with ${JSON.stringify(input)}?`)

const server = connect({ baseUrl: document.documentElement.dataset["server"] ?? location.origin })
let session: Session | undefined

const say = async (text: string, signal: AbortSignal) => {
  session ??= await server.open(
    { name: "assistant", tools: [{ name: "current_time" }] },
    { tools: [preferences], permit, signal }
  )
  let answer: HTMLElement | undefined
  for await (const { event } of session.say(text, { signal })) {
    if (event.event === "text_delta") {
      answer ??= write("Agent: ")
      answer.append(event.data.delta)
    } else answer = undefined
    if (event.event === "tool_call") write(`[calls ${event.data.name}]`)
    if (event.event === "permission") write(event.data.granted ? "[allowed]" : "[denied]")
    if (event.event === "turn_stop" && !["end_turn", "tool_use"].includes(event.data.stopReason))
      write(`[ended: ${event.data.stopReason}]`)
  }
}

form.addEventListener("submit", async (event) => {
  event.preventDefault()
  const turn = new AbortController()
  stop.onclick = () => turn.abort()
  send.disabled = true
  stop.disabled = false
  write(`You: ${message.value}`)
  const said = say(message.value, turn.signal)
  form.reset()
  await said.catch((error: Error) => write(turn.signal.aborted ? "[stopped]" : `[${error.message}]`))
  send.disabled = false
  stop.disabled = true
})
