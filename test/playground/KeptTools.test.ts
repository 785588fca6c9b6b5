import { assert, describe, it } from "@effect/vitest"
import * as KeptTools from "../../src/playground/setup/KeptTools.ts"

const spec = { name: "get_mood", description: "", parameters: { type: "object" } }

/** A place, and what stands in it. */
const placeOf = (stored: string | null = null) => {
  let text = stored
  const place: KeptTools.Place = {
    getItem: () => text,
    setItem: (_, next) => {
      text = next
    }
  }
  return place
}

describe("the tools of the page", () => {
  it("are kept with their answers", () => {
    const place = placeOf()
    const tools = [{ spec, fixed: "cheerful" }, { spec: { ...spec, name: "get_weather" } }]
    KeptTools.save(place, tools)
    assert.deepStrictEqual(KeptTools.load(place), tools)
  })

  it("are none where something else stands in their place", () => {
    for (const text of [null, "", "{}", '[{"fixed":"cheerful"}]'])
      assert.deepStrictEqual(KeptTools.load(placeOf(text)), [])
  })

  it("are not kept where there is no room", () => {
    const full: KeptTools.Place = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError")
      }
    }
    KeptTools.save(full, [{ spec }])
    assert.deepStrictEqual(KeptTools.load(full), [])
  })
})
