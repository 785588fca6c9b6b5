import { answering, answeringJson, streaming, turns } from "../Broken.ts"
import type { Cases } from "../Case.ts"
import { array, messages, named, twice } from "../Change.ts"

/** Servers that break the rules of `rules/Turns.ts`. */
export const cases: Cases = {
  "framing-delta": [
    { broken: streaming((events) => events.map((event) => event.replace("\n\n", "\n"))), says: /event/ }
  ],
  "framing-message": [
    {
      broken: streaming((events) => events.map((event) => event.replace("data: {", "data: {\ndata: "))),
      says: /2 lines of data/
    }
  ],
  "order-delta": [{ broken: twice("turn_stop"), says: /turn_stop comes 2 times/ }],
  "order-message": [
    {
      broken: streaming((events) => [...events.slice(1, -1), ...events.slice(0, 1), ...events.slice(-1)]),
      says: /the first event is/
    }
  ],
  "events-delta": [
    {
      broken: streaming((events) =>
        events.map(named("text_delta", "text")).map((event) => event.replace('"delta":', '"text":'))
      ),
      says: /has an event text/
    }
  ],
  "events-message": [{ broken: twice("text"), says: /the texts is/ }],
  "deltas-at-once": [
    {
      broken: async (asked, send) => {
        const response = await send(asked)
        return new Response(await response.text(), response)
      },
      says: /none has come within/
    }
  ],
  none: [
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
    }
  ],
  "modes-agree": [
    {
      broken: answering(turns, ({ text, type }) =>
        type.startsWith("text/") ? { text: text.replaceAll("Hm.", "Oh.") } : {}
      ),
      says: /what \w+ tells, beside/
    }
  ]
}
