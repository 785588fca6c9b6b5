import { describe } from "@effect/vitest"
import { Layer } from "effect"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { contract, Passing } from "./contract.ts"

describe("MemorySessionStore", () => contract(() => Layer.merge(MemorySessionStore.layer(), Passing.testClock)))
