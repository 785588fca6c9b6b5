import { Effect } from "effect"
import type { ToolSpec } from "../protocol/Tool.ts"
import { notApplicable } from "./Rule.ts"
import { Subject } from "./Subject.ts"

/** A tool of the application, as rules declare it. */
export const clientTool = (name: string): ToolSpec => ({
  name,
  description: "Looks a key up.",
  parameters: { type: "object", properties: { key: { type: "string" } }, required: ["key"] }
})

/** Not applicable where the agent takes no tools of its application. */
export const needsClientTools = Effect.flatMap(Subject, ({ agent }) =>
  agent.capabilities?.application?.tools === undefined
    ? notApplicable("the agent takes no tools of its application")
    : Effect.void
)

/** The server's tool that may be called; not applicable where there is none. */
export const serverTool = Effect.flatMap(Subject, ({ tool }) =>
  tool === undefined
    ? notApplicable("the agent has no tool that a check may call; name one with --tool")
    : Effect.succeed(tool)
)
