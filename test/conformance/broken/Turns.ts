import { answering, answeringJson, type Break, histories, streaming, turns } from "../Broken.ts"
import { type Cases, otherStop } from "../Case.ts"
import { added, array, at, history, is, late, messages, named, refusing, retold, telling, twice } from "../Change.ts"

/** A stream that says it is something else. */
const plain = answering(turns, ({ type }) => (type.startsWith("text/event-stream") ? { type: "text/plain" } : {}))

/** Gives events of one name another name, and what they say as well. */
const renamed = (from: string, to: string, field: string, other: string): Break =>
  streaming((events) =>
    events.map((event) => (is(from)(event) ? named(from, to)(event).replace(`"${field}":`, `"${other}":`) : event))
  )

/** Sends what the server sends as it comes, without a piece of it. */
const leavingOut =
  (piece: string): Break =>
  async (asked, send) => {
    const response = await send(asked)
    const pieces = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(
      new TransformStream<string, string>({
        transform: (text, controller) => controller.enqueue(text.replaceAll(piece, ""))
      })
    )
    return new Response(pieces?.pipeThrough(new TextEncoderStream()) ?? null, response)
  }

const unframed = answering(turns, ({ text, type }) =>
  type.startsWith("text/event-stream") ? { text: text.replaceAll("\n\n", "\n") } : {}
)

/** Servers that break the rules of `rules/Turns.ts`. */
export const cases: Cases = {
  "framing-delta": [
    { broken: at(turns, 1, refusing(500)), says: /answers 500; 200 would be right/ },
    { broken: plain, says: /is of the type "text\/plain"; text\/event-stream would be right/ },
    { broken: unframed, says: /the last event has no blank line behind it/ }
  ],
  "framing-message": [
    {
      broken: streaming((events) => events.map((event) => event.replace("data: {", "data: {\ndata: "))),
      says: /2 lines of data/
    }
  ],
  "order-delta": [
    { broken: twice("turn_stop"), says: /turn_stop comes 2 times/ },
    {
      broken: streaming((events) => events.map((event) => event.replace("data: {}", "data: []"))),
      says: /the data of turn_start is/
    }
  ],
  "order-message": [
    {
      broken: streaming((events) => [...events.slice(1, -1), ...events.slice(0, 1), ...events.slice(-1)]),
      says: /the first event is text; turn_start would be right/
    },
    {
      broken: streaming((events) => [...events.slice(0, 1), ...events.slice(-1), ...events.slice(1, -1)]),
      says: /the last event is text; turn_stop would be right/
    }
  ],
  "events-delta": [
    { broken: renamed("text_delta", "text", "delta", "text"), says: /a delta stream has an event text/ },
    { broken: unframed, says: /is badly framed: the last event has no blank line behind it/ },
    { broken: telling("Mostly.", "Always."), says: /the text of the deltas is/ }
  ],
  "events-message": [
    { broken: renamed("text", "text_delta", "text", "delta"), says: /a message stream has an event text_delta/ },
    { broken: twice("text"), says: /the texts is/ }
  ],
  "deltas-at-once": [
    {
      broken: async (asked, send) => {
        const response = await send(asked)
        return new Response(await response.text(), response)
      },
      says: /none has come within/,
      isAwaited: true
    },
    { broken: late, says: /no delta has come while the model waited/, isAwaited: true },
    { broken: leavingOut(" second"), says: /the rest of the answer has not come/ }
  ],
  none: [
    { broken: at(turns, 1, refusing(500)), says: /answers 500; 200 would be right/ },
    { broken: answering(turns, () => ({ type: "text/plain" })), says: /is of the type "text\/plain"/ },
    {
      broken: answeringJson(turns, (body) => ({
        ...body,
        messages: array(body["messages"]).map((message) => ({
          ...message,
          content: [{ type: "text", text: message["content"] }]
        }))
      })),
      says: /the answer is/
    }
  ],
  thinking: [
    otherStop(1, "end_turn"),
    {
      broken: renamed("thinking", "thinking_delta", "thinking", "delta"),
      says: /a message stream has an event thinking_delta/
    },
    {
      broken: added((all) =>
        all.map((message) => ({ ...message, content: `Blue or grey? ${JSON.stringify(message)}` }))
      ),
      says: /the reasoning stands in the text/
    },
    {
      broken: answeringJson(
        turns,
        messages((all) =>
          all.map((message) => ({
            ...message,
            content: array(message["content"]).toReversed()
          }))
        )
      ),
      says: /does not begin with thinking/
    },
    { broken: telling("or grey?", "or green?"), says: /the message is/ }
  ],
  "modes-agree": [
    {
      broken: answering(turns, ({ text }, { body }) =>
        body?.["stream"] === "message" ? { text: text.replaceAll("Hm.", "Oh.") } : {}
      ),
      says: /what message tells, beside delta/
    },
    {
      broken: added((all) => all.map(retold("Hm.", "Oh."))),
      says: /what none tells, beside delta/
    },
    ...["delta", "message", "none"].map((mode, index) => ({
      broken: at(
        histories,
        index,
        history((all) => all.slice(0, -1))
      ),
      says: new RegExp(`the history of a turn in ${mode} is`)
    }))
  ]
}
