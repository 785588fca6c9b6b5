import { Result } from "effect"
import type * as Arr from "effect/Array"
import type { Parse } from "./SettingValue.ts"

/** The protocols that a model may be spoken to in, as `AAP_MODEL` names them. */
const providers = ["openai", "openai-responses", "anthropic", "gemini"] as const

/** Which model answers: the embedded demo, or a provider's model. */
export type ModelSetting =
  | { readonly provider: "demo" }
  | { readonly provider: (typeof providers)[number]; readonly model: string }

const oneModel: Parse<ModelSetting> = (text) => {
  if (text === "demo") return Result.succeed({ provider: "demo" })
  const [, prefix, name] = /^([^/]+)\/(\S+)$/.exec(text) ?? []
  const provider = providers.find((provider) => provider === prefix)
  return provider === undefined || name === undefined
    ? Result.fail(`"${text}" is no model; give demo, or ${providers.join("/MODEL, ")}/MODEL such as openai/gpt-5`)
    : Result.succeed({ provider, model: name })
}

/** One model, or several: the first answers, the others stand in for it. */
export const models: Parse<Arr.NonEmptyReadonlyArray<ModelSetting>> = (text) => {
  const [first = "", ...rest] = text.split(",").map((item) => item.trim())
  return Result.all([oneModel(first), ...rest.map(oneModel)])
}
