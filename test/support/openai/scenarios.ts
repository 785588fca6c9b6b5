import type { FinishReason } from "../../../src/model/ChatModel.ts"
import type { ModelErrorReason } from "../../../src/model/ModelError.ts"

/** What a model server sends, and what must be heard of it. */
export interface Scenario {
  readonly name: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The body's pieces, each written by itself. */
  readonly pieces: ReadonlyArray<string | Uint8Array>
  /** How the server ends: properly, by cutting the connection, or not at all. */
  readonly ends?: "cut" | "hang"
  readonly hears: {
    readonly text?: string
    readonly thinking?: string
    readonly calls?: ReadonlyArray<readonly [name: string, args: string]>
    readonly reason?: FinishReason
    readonly error?: ModelErrorReason
    readonly usage?: readonly [input: number, output: number]
  }
}

type Json = Readonly<Record<string, unknown>>

const data = (chunk: Json | string): string => `data: ${typeof chunk === "string" ? chunk : JSON.stringify(chunk)}\n\n`
const choice = (delta: Json, finish: string | null = null): Json => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }]
})
const say = (content: string) => data(choice({ content }))
const finish = (reason = "stop") => data(choice({}, reason))
const done = data("[DONE]")
const fragments = (...calls: ReadonlyArray<Json>) => data(choice({ tool_calls: calls }))
const fn = (name?: string, args?: unknown): Json => ({
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) }
})

const plain: Scenario["hears"] = { text: "Hello, world", reason: "stop" }
const oneCall: Scenario["hears"] = { calls: [["look", '{"at":"it"}']], reason: "stop" }

/** The framing traps. */
const framing: ReadonlyArray<Scenario> = [
  { name: "plain", pieces: [say("Hello"), say(", world"), finish(), done], hears: plain },
  {
    name: "role-only first chunk, nulls and empty texts",
    pieces: [data(choice({ role: "assistant", content: null })), say(""), say("Hello"), say(", world"), finish(), done],
    hears: plain
  },
  {
    name: "comments before, between and instead of events",
    pieces: [
      ": hi\n\n",
      ": OPENROUTER PROCESSING\n\n",
      say("Hello"),
      ": still\n",
      ": here\n\n",
      say(", world"),
      finish(),
      ":\n\n",
      done
    ],
    hears: plain
  },
  {
    name: "CRLF",
    pieces: [[say("Hello"), say(", world"), finish(), done].join("").replaceAll("\n", "\r\n")],
    hears: plain
  },
  {
    name: "CR",
    pieces: [[say("Hello"), say(", world"), finish(), done].join("").replaceAll("\n", "\r")],
    hears: plain
  },
  {
    name: "mixed line ends, CRLF cut between its halves",
    pieces: [
      say("Hello").replaceAll("\n", "\r\n").slice(0, -1),
      "\n",
      `${say(", world").replace("\n", "\r")}\n`,
      finish(),
      done
    ],
    hears: plain
  },
  {
    name: "several data lines",
    pieces: [
      `data: ${JSON.stringify(choice({ content: "Hello, world" }), null, 1).replaceAll("\n", "\ndata: ")}\n\n`,
      finish(),
      done
    ],
    hears: plain
  },
  {
    name: "no space after data:",
    pieces: [say("Hello").replace("data: ", "data:"), say(", world"), finish(), "data:[DONE]\n\n"],
    hears: plain
  },
  { name: "no [DONE]", pieces: [say("Hello"), say(", world"), finish()], hears: plain },
  {
    name: "[DONE] without its blank line",
    pieces: [say("Hello"), say(", world"), finish(), "data: [DONE]"],
    hears: plain
  },
  {
    name: "last chunk without its blank line",
    pieces: [say("Hello"), say(", world"), finish().trimEnd()],
    hears: plain
  },
  {
    name: "retry:, id: and event: fields",
    pieces: ["retry: 100\n\n", "id: 7\n\n", `event: message\nid: 8\n${say("Hello")}`, say(", world"), finish(), done],
    hears: plain
  },
  {
    name: "a byte order mark",
    pieces: [Uint8Array.of(0xef, 0xbb, 0xbf), say("Hello"), say(", world"), finish(), done],
    hears: plain
  },
  {
    name: "every byte by itself, many of them halves of characters",
    pieces: Array.from(Buffer.from(say("Grüße 🎈 東京") + finish() + done), (byte) => Uint8Array.of(byte)),
    hears: { text: "Grüße 🎈 東京", reason: "stop" }
  },
  { name: "[DONE] and content, but no finish", pieces: [say("Hello"), say(", world"), done], hears: plain },
  {
    name: "after the finish it hangs",
    pieces: [say("Hello"), say(", world"), finish(), data({ choices: [], usage: {} }), done],
    ends: "hang",
    hears: plain
  }
]

/** The traps in the chunks. */
const chunks: ReadonlyArray<Scenario> = [
  {
    name: "no id, created or model",
    pieces: [
      data({ choices: [{ delta: { content: "Hello, world" } }] }),
      data({ choices: [{ delta: {}, finish_reason: "stop" }] }),
      done
    ],
    hears: plain
  },
  {
    name: "usage in a chunk without choices",
    pieces: [
      data({ choices: [] }),
      say("Hello, world"),
      finish(),
      data({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3, prompt_tokens_details: null } }),
      done
    ],
    hears: { ...plain, usage: [7, 3] }
  },
  {
    name: "content as an array of parts",
    pieces: [
      data(
        choice({
          content: [
            { type: "text", text: "Hello" },
            { type: "text", text: ", world" }
          ]
        })
      ),
      finish(),
      done
    ],
    hears: plain
  },
  {
    name: "reasoning_content beside empty content",
    pieces: [
      data(choice({ reasoning_content: "hm", content: "" })),
      data(choice({ reasoning_content: "!", content: null })),
      say("Hello, world"),
      finish(),
      done
    ],
    hears: { ...plain, thinking: "hm!" }
  },
  {
    name: "reasoning",
    pieces: [data(choice({ reasoning: "hm!", content: "" })), say("Hello, world"), finish(), done],
    hears: { ...plain, thinking: "hm!" }
  },
  {
    name: "finish length",
    pieces: [say("Hello, wor"), finish("length"), done],
    hears: { text: "Hello, wor", reason: "length" }
  },
  {
    name: "finish content_filter",
    pieces: [say("Hel"), finish("content_filter"), done],
    hears: { text: "Hel", reason: "refusal" }
  },
  {
    name: "usage in a way of its own",
    pieces: [say("Hello"), data({ choices: [], usage: { prompt_tokens: "12" } }), say(", world"), finish(), done],
    hears: plain
  },
  {
    name: "blank data, an empty error, and blanks behind the end",
    pieces: [
      "data:\n\n",
      say("Hello"),
      data({ ...choice({ content: ", world" }), error: "" }),
      finish(),
      data("[DONE] ")
    ],
    hears: plain
  },
  {
    name: "a number for a call's id",
    pieces: [fragments({ index: 0, id: 7, ...fn("look", '{"at":"it"}') }), finish("tool_calls"), done],
    hears: oneCall
  },
  {
    name: "a last event without its blank line, and no finish",
    pieces: [say("Hello"), say(", world").trimEnd()],
    hears: { text: "Hello, world", error: "bad_response" }
  },
  {
    name: "text in the chunk of an error's finish",
    pieces: [data(choice({ content: "Hello" }, "error"))],
    hears: { text: "Hello", error: "bad_response" }
  },
  {
    name: "a parameter of a name that sounds like a filter",
    status: 400,
    pieces: [JSON.stringify({ error: { message: "Unknown parameter: 'safety_identifier'." } })],
    hears: { error: "invalid_request" }
  },
  {
    name: "a refusal by the safety system",
    status: 400,
    pieces: [JSON.stringify({ error: { message: "Your request was rejected by our safety system." } })],
    hears: { error: "refused" }
  },
  {
    name: "content after a refusal",
    pieces: [data(choice({ refusal: "I can't." })), say(" Still."), finish(), done],
    hears: { text: "I can't. Still.", reason: "refusal" }
  },
  {
    name: "content after a filter's finish",
    pieces: [say("Hel"), finish("content_filter"), say("lo"), finish(), done],
    hears: { text: "Hello", reason: "refusal" }
  },
  {
    name: "a refusal instead of content",
    pieces: [data(choice({ refusal: "I can't " })), data(choice({ refusal: "say." })), finish(), done],
    hears: { text: "I can't say.", reason: "refusal" }
  },
  {
    name: "a whole completion instead of a stream",
    headers: { "content-type": "application/json" },
    pieces: [
      JSON.stringify({
        choices: [{ message: { content: "Hello, world", tool_calls: null }, finish_reason: "stop" }],
        usage: { prompt_tokens: 7, completion_tokens: 3 }
      })
    ],
    hears: { ...plain, usage: [7, 3] }
  },
  { name: "an answer of nothing", pieces: [finish(), done], hears: { reason: "stop" } }
]

/** The traps in tool calls. */
const calls: ReadonlyArray<Scenario> = [
  {
    name: "a call in fragments, its name in the first",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("look", "") }),
      fragments({ index: 0, ...fn(undefined, '{"at"') }),
      fragments({ index: 0, ...fn(undefined, ':"it"}') }),
      finish("tool_calls"),
      done
    ],
    hears: oneCall
  },
  {
    name: "a call whole",
    pieces: [fragments({ index: 0, id: "a", ...fn("look", '{"at":"it"}') }), finish("tool_calls"), done],
    hears: oneCall
  },
  {
    name: "arguments as an object",
    pieces: [fragments({ index: 0, id: "a", ...fn("look", { at: "it" }) }), finish("tool_calls"), done],
    hears: oneCall
  },
  {
    name: "arguments absent, empty and blank",
    pieces: [
      fragments(
        { index: 0, id: "a", ...fn("one") },
        { index: 1, id: "b", ...fn("two", "") },
        { index: 2, id: "c", ...fn("three", "  ") }
      ),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", ""],
        ["two", ""],
        ["three", "  "]
      ],
      reason: "stop"
    }
  },
  {
    name: "arguments cut off by the length limit",
    pieces: [fragments({ index: 0, id: "a", ...fn("look", '{"at":"i') }), finish("length"), done],
    hears: { calls: [["look", '{"at":"i']], reason: "length" }
  },
  {
    name: "arguments that are not JSON",
    pieces: [fragments({ index: 0, id: "a", ...fn("look", "at it") }), finish("tool_calls"), done],
    hears: { calls: [["look", "at it"]], reason: "stop" }
  },
  {
    name: "finish stop with calls",
    pieces: [fragments({ index: 0, id: "a", ...fn("look", '{"at":"it"}') }), finish("stop"), done],
    hears: oneCall
  },
  { name: "finish tool_calls with none", pieces: [say("Hello, world"), finish("tool_calls"), done], hears: plain },
  {
    name: "two calls in one chunk",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("one", "{}") }, { index: 1, id: "b", ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "two calls whose fragments alternate",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("one", "{") }, { index: 1, id: "b", ...fn("two", "{") }),
      fragments({ index: 1, ...fn(undefined, "}") }, { index: 0, ...fn(undefined, "}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "no index, new ids",
    pieces: [
      fragments({ id: "a", ...fn("one", "{") }),
      fragments(fn(undefined, "}")),
      fragments({ id: "b", ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "the same index for two calls",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("one", "{}") }),
      fragments({ index: 0, id: "b", ...fn("two", "{") }),
      fragments({ index: 0, ...fn(undefined, "}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "the same index and no ids",
    pieces: [
      fragments({ index: 0, ...fn("one", "{}") }),
      fragments({ index: 0, ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "no index and no ids, whole calls",
    pieces: [fragments(fn("one", "{}")), fragments(fn("one", '{"again":1}')), finish("tool_calls"), done],
    hears: {
      calls: [
        ["one", "{}"],
        ["one", '{"again":1}']
      ],
      reason: "stop"
    }
  },
  {
    name: "one id for two calls, told apart by index",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("one", "{}") }),
      fragments({ index: 1, id: "a", ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "one id for two whole calls at one index",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("one", "{}") }),
      fragments({ index: 0, id: "a", ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "id and name repeated in each fragment",
    pieces: [
      fragments({ index: 0, id: "a", ...fn("look", '{"at"') }),
      fragments({ index: 0, id: "a", ...fn("look", ':"it"}') }),
      finish("tool_calls"),
      done
    ],
    hears: oneCall
  },
  {
    name: "empty ids",
    pieces: [
      fragments({ index: 0, id: "", ...fn("one", "{") }),
      fragments({ index: 0, id: "", ...fn("", "}") }),
      fragments({ index: 1, id: "", ...fn("two", "{}") }),
      finish("tool_calls"),
      done
    ],
    hears: {
      calls: [
        ["one", "{}"],
        ["two", "{}"]
      ],
      reason: "stop"
    }
  },
  {
    name: "text and thinking, then a call",
    pieces: [
      data(choice({ reasoning_content: "hm" })),
      say("Let me look."),
      fragments({ index: 0, id: "a", ...fn("look", '{"at":"it"}') }),
      finish("tool_calls"),
      done
    ],
    hears: { ...oneCall, text: "Let me look.", thinking: "hm" }
  }
]

/** The ways of failing. */
const failures: ReadonlyArray<Scenario> = [
  { name: "end of file without a finish", pieces: [say("Hello")], hears: { text: "Hello", error: "bad_response" } },
  { name: "end of file without anything", pieces: [], hears: { error: "bad_response" } },
  { name: "[DONE] without anything", pieces: [done], hears: { error: "bad_response" } },
  {
    name: "an error before text",
    pieces: [data({ error: { message: "Overloaded", code: 529 } })],
    hears: { error: "overloaded" }
  },
  {
    name: "an error after text",
    pieces: [say("Hello"), data({ error: { message: "something broke" } }), done],
    hears: { text: "Hello", error: "bad_response" }
  },
  {
    name: "an error and text in one packet",
    pieces: [say("Hello") + data({ error: "rate limit" })],
    hears: { text: "Hello", error: "rate_limited" }
  },
  {
    name: "a context overflow inside the stream",
    pieces: [data({ error: { message: "maximum context length is 8192 tokens" } })],
    hears: { error: "context_overflow" }
  },
  {
    name: "finish error",
    pieces: [say("Hello"), finish("error"), done],
    hears: { text: "Hello", error: "bad_response" }
  },
  {
    name: "a chunk that is not JSON",
    pieces: [say("Hello"), "data: <html>\n\n"],
    hears: { text: "Hello", error: "bad_response" }
  },
  {
    name: "a page of HTML",
    headers: { "content-type": "text/html" },
    pieces: ["<html>Bad gateway</html>"],
    hears: { error: "bad_response" }
  },
  {
    name: "JSON that is no completion",
    headers: { "content-type": "application/json" },
    pieces: ['{"detail":"no"}'],
    hears: { error: "bad_response" }
  },
  {
    name: "the connection cut in the middle",
    pieces: [say("Hello")],
    ends: "cut",
    hears: { text: "Hello", error: "network" }
  },
  { name: "the connection cut after the finish", pieces: [say("Hello, world"), finish()], ends: "cut", hears: plain },
  { name: "silence-after-some-text", pieces: [say("Hello")], ends: "hang", hears: { text: "Hello", error: "timeout" } },
  { name: "silence after the finish", pieces: [say("Hello, world"), finish()], ends: "hang", hears: plain },
  {
    name: "status 401",
    status: 401,
    pieces: ['{"error":{"message":"Incorrect API key"}}'],
    hears: { error: "unauthorized" }
  },
  {
    name: "status 429",
    status: 429,
    headers: { "retry-after": "7" },
    pieces: ['{"error":{"message":"slow down"}}'],
    hears: { error: "rate_limited" }
  },
  { name: "status 500", status: 500, pieces: ["oops"], hears: { error: "overloaded" } },
  {
    name: "status 400",
    status: 400,
    pieces: ['{"error":{"message":"messages must not be empty"}}'],
    hears: { error: "invalid_request" }
  },
  {
    name: "status 400, context",
    status: 400,
    pieces: ['{"error":{"message":"too long","code":"context_length_exceeded"}}'],
    hears: { error: "context_overflow" }
  },
  {
    name: "status 400, vLLM context",
    status: 400,
    pieces: ['{"object":"error","message":"This model\'s maximum context length is 4096 tokens."}'],
    hears: { error: "context_overflow" }
  },
  {
    name: "status 400, llama.cpp context",
    status: 400,
    pieces: [
      '{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}'
    ],
    hears: { error: "context_overflow" }
  },
  {
    name: "status 400, filter",
    status: 400,
    pieces: ['{"error":{"code":"content_filter","message":"filtered"}}'],
    hears: { error: "refused" }
  }
]

/** Every scenario; the model's name in a request is the name of the scenario. */
export const scenarios: ReadonlyArray<Scenario> = [...framing, ...chunks, ...calls, ...failures]
