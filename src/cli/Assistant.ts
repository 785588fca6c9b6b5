import * as Agent from "../agent/Agent.ts"

/** The agent that the server brings: it declares every capability, and runs on any model of the provider. */
export const assistant = (model: string): Agent.Agent =>
  Agent.make({
    name: "assistant",
    title: "Assistant",
    version: "1.0.0",
    description: "A general assistant that can tell the time and read web pages.",
    instructions: "You are a helpful assistant. Answer briefly, and use your tools where they help.",
    model: (options) => options.model ?? model,
    tools: ["current_time", "web_fetch"],
    options: [
      {
        type: "text",
        name: "model",
        title: "Model",
        description: "The name of the model at the provider that this server is set up with.",
        default: model
      }
    ],
    capabilities: {
      history: { full: {}, compacted: {} },
      stream: { delta: {}, message: {}, none: {} },
      application: { tools: {} },
      image: { http: {}, data: {} }
    }
  })
