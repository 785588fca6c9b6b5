import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { AgentInfo, Meta } from "../../src/protocol/Agent.ts"
import { ContentBlock } from "../../src/protocol/Content.ts"
import { ErrorBody } from "../../src/protocol/ErrorBody.ts"
import { ApplicationMessage, HistoryMessage } from "../../src/protocol/Message.ts"
import { CreateSession, History, SessionPage } from "../../src/protocol/Session.ts"
import { TurnRequest, TurnResponse } from "../../src/protocol/Turn.ts"
import { TurnEvent } from "../../src/protocol/TurnEvent.ts"

const schemas = {
  AgentInfo,
  ApplicationMessage,
  ContentBlock,
  CreateSession,
  ErrorBody,
  History,
  HistoryMessage,
  Meta,
  SessionPage,
  TurnEvent,
  TurnRequest,
  TurnResponse
}

describe("codecs", () => {
  for (const [name, schema] of Object.entries<Schema.Codec<unknown, unknown>>(schemas)) {
    const encode = Schema.encodeSync(schema)
    const decode = Schema.decodeUnknownSync(schema)
    it.prop(
      `${name} survives the wire`,
      [schema],
      ([value]) => {
        const wire: unknown = JSON.parse(JSON.stringify(encode(value)))
        assert.deepStrictEqual(encode(decode(wire)), wire)
      },
      { arbitrary: { runs: 1000 } }
    )
  }
})
