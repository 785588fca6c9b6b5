/**
 * The statements of the protocol that rules are of, in its order: the part, the number where statements of a part have one,
 * and what is told there.
 */
export const sections = [
  "1 JSON in UTF-8",
  "1 GET /meta",
  "1 GET /sessions",
  "1 POST /sessions",
  "1 GET /sessions/:id",
  "1 DELETE /sessions/:id",
  "1 Authorization",
  "1 Unknown session",
  "1 History types",
  "2 AgentOption",
  "2 Capabilities",
  "2 ContentBlock",
  "2 Messages",
  "2 tool_permission",
  "2 SessionInfo",
  "2 POST /sessions body",
  "2 POST turns body",
  "2 What is left out",
  "3 SSE modes",
  "3 Events",
  "3 none",
  "3 Names of tools",
  "3.1 Calls first",
  "3.2 Trusted calls",
  "3.3 Open calls",
  "3.4 Answers together",
  "3.5 Decisions",
  "3 Stop reasons",
  "4 The server's own",
  "4 Full",
  "4 Compacted",
  "4 Resuming"
] as const

/** Where a rule stands in the protocol. */
export type Section = (typeof sections)[number]

/** How long the longest is. */
export const width = Math.max(...sections.map((section) => section.length))
