import { connect } from "effect-aap/client"

/** A whole application in plain TypeScript: a tool of its own, a permission, and an answer that streams. */
const server = connect({ baseUrl: process.env["AAP_URL"] ?? "http://127.0.0.1:3010" })

const session = await server.open(
  { name: "assistant", tools: [{ name: "current_time" }] },
  {
    tools: [
      {
        name: "get_weather",
        description: "The weather of a place, now.",
        parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
        run: ({ location }) => `${location}: 18°C, cloudy`
      }
    ],
    permit: ({ name }) => ({ granted: name === "current_time", reason: "only the time is to be told" })
  }
)

for await (const { event } of session.say("time and weather in Oslo")) {
  if (event.event === "text_delta") process.stdout.write(event.data.delta)
  if (event.event === "tool_call") process.stdout.write(`[calls ${event.data.name}]\n`)
  if (event.event === "permission") process.stdout.write(`[granted: ${event.data.granted}]\n`)
}
process.stdout.write(`\n[${session.messages().length} messages]\n`)
await server.deleteSession(session.id)
