import type { AgentInfo } from "../../src/protocol/Agent.ts"

const parameters = { type: "object" }

/** An agent with two tools and an option of each kind, as a server shows it. */
export const clerk: AgentInfo = {
  name: "clerk",
  version: "1",
  tools: [
    { name: "look", description: "", parameters },
    { name: "write", description: "", parameters }
  ],
  options: [
    { type: "text", name: "place", default: "here" },
    { type: "secret", name: "token", default: "" },
    { type: "select", name: "tone", options: ["warm", "cool"], default: "warm" }
  ]
}
