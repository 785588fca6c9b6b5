import { describe } from "@effect/vitest"
import * as MemorySessionStore from "../../src/session/MemorySessionStore.ts"
import { contract } from "./contract.ts"

describe("MemorySessionStore", () => contract(() => MemorySessionStore.layer()))
