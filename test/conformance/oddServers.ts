import { answering, answeringJson, type Break, histories, matches, status, streaming, turns } from "./Broken.ts"
import type { Case } from "./Case.ts"
import { added, array, at, both, fed, history, isTool, object, refusing, stopping, without } from "./Change.ts"

/** A server that keeps a rule otherwise than our own does. */
export interface Odd extends Pick<Case, "broken" | "model"> {
  /** How it is odd. */
  readonly how: string
  readonly rules: ReadonlyArray<string>
  /** What comes of each rule. */
  readonly outcome: "Pass" | "NotApplicable"
}

const inBlocks = (message: Readonly<Record<string, unknown>>) => ({
  ...message,
  content: typeof message["content"] === "string" ? [{ type: "text", text: message["content"] }] : message["content"]
})

/** Tells the model how often it has been asked. */
const counting = () => {
  let count = 0
  return fed((message) => ({ ...message, content: `${message["content"]} This is time ${++count}.` }), "system")
}

/** Takes one turn after the other, and refuses none. */
const queueing = (): Break => {
  let last: Promise<unknown> = Promise.resolve()
  return (asked, send) => {
    if (!matches(turns, asked)) return send(asked)
    const answer = last.then(async () => {
      const response = await send(asked)
      return new Response(await response.text(), response)
    })
    last = answer
    return answer
  }
}

const withoutHistories = both(
  status(histories, 200, 404),
  answeringJson("GET /meta", (meta) => ({
    ...meta,
    agents: array(meta["agents"]).map((agent) => ({
      ...agent,
      capabilities: without("history")(object(agent["capabilities"]))
    }))
  }))
)

/** Servers that a check must find sound, or have nothing to say of. */
export const oddServers: ReadonlyArray<Odd> = [
  {
    how: "tells the model something else each time",
    rules: ["option-defaults"],
    model: counting(),
    outcome: "Pass"
  },
  {
    how: "shows no reasoning",
    rules: ["thinking"],
    model: fed(
      (message) => ({ ...message, content: String(message["content"]).replace(/\{"thinking":[^}]*\},/, "") }),
      "user"
    ),
    outcome: "NotApplicable"
  },
  {
    how: "cannot fetch an image",
    rules: ["http-images"],
    broken: stopping("end_turn", "error"),
    outcome: "NotApplicable"
  },
  {
    how: "has another status for what it refuses",
    rules: ["select-options", "part-answered", "user-while-open", "unique-names"],
    broken: both(status(turns, 422, 409), status("POST /sessions", 422, 400)),
    outcome: "Pass"
  },
  {
    how: "has texts as blocks",
    rules: ["full-history", "modes-agree", "granted-call", "text-beside-calls", "history-after-error"],
    broken: both(
      history((all) => all.map(inBlocks)),
      added((all) => all.map(inBlocks))
    ),
    outcome: "Pass"
  },
  {
    how: "sends comments between events",
    rules: ["framing-delta", "order-message", "events-delta", "trusted-call"],
    broken: streaming((events) => events.flatMap((event) => [": still there\n\n", event])),
    outcome: "Pass"
  },
  {
    how: "is busy for a while after a client has left",
    rules: ["disconnect"],
    broken: at(turns, 2, refusing(409)),
    outcome: "Pass"
  },
  { how: "takes turns that wait for each other", rules: ["turns-one-by-one"], broken: queueing(), outcome: "Pass" },
  {
    how: "names the character set",
    rules: ["json", "meta", "list-sessions"],
    broken: answering("GET /*", () => ({ type: 'application/json; charset="UTF-8"' })),
    outcome: "Pass"
  },
  {
    how: "does not announce denials",
    rules: ["granted-beside-denied", "denied-call"],
    broken: added((all) =>
      all.filter((message) => !isTool(message) || !/once is|not the time/.test(`${message["content"]}`))
    ),
    outcome: "Pass"
  },
  {
    how: "shows no history",
    rules: ["two-user-messages", "trusted-calls-once", "part-answered", "images"],
    broken: withoutHistories,
    outcome: "Pass"
  },
  {
    how: "shows no history",
    rules: ["full-history", "compacted-history"],
    broken: withoutHistories,
    outcome: "NotApplicable"
  }
]
