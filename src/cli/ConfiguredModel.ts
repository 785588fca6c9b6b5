import { identity, type Layer } from "effect"
import type { HttpClient } from "effect/http"
import * as Anthropic from "../model/Anthropic.ts"
import { ChatModel } from "../model/ChatModel.ts"
import * as Demo from "../model/Demo.ts"
import * as Gemini from "../model/Gemini.ts"
import * as InlineImages from "../model/InlineImages.ts"
import * as ModelBreaker from "../model/ModelBreaker.ts"
import * as OpenAiChat from "../model/OpenAiChat.ts"
import * as OpenAiResponses from "../model/OpenAiResponses.ts"
import type { ModelSetting } from "./ModelSetting.ts"
import type { Settings } from "./Settings.ts"

/** The name of a model at its provider. */
export const nameOf = (model: ModelSetting): string => (model.provider === "demo" ? "demo" : model.model)

/**
 * Whether a provider itself is spoken to. Other servers of its protocol may not fetch images, or may stand where they reach
 * what an application must not: theirs are fetched here.
 */
const isAt = (host: string, baseUrl: string): boolean => URL.parse(baseUrl)?.hostname === host

const providerLayer = (
  settings: Settings,
  { provider }: Exclude<ModelSetting, { readonly provider: "demo" }>
): Layer.Layer<ChatModel, never, HttpClient.HttpClient> => {
  const timeouts = { firstByteTimeout: settings.modelTimeout, idleTimeout: settings.modelTimeout }
  const images = { allow: settings.webFetchAllow }
  const fetchingUnless = (isProvider: boolean) =>
    isProvider
      ? identity
      : (model: Layer.Layer<ChatModel, never, HttpClient.HttpClient>) => InlineImages.layer(model, images)
  const forOpenAi = fetchingUnless(isAt("api.openai.com", settings.openAi.baseUrl))
  const forAnthropic = fetchingUnless(isAt("api.anthropic.com", settings.anthropic.baseUrl))
  switch (provider) {
    case "openai":
      return forOpenAi(OpenAiChat.layer({ ...settings.openAi, ...timeouts }))
    case "openai-responses":
      return forOpenAi(OpenAiResponses.layer({ ...settings.openAi, ...timeouts }))
    case "anthropic":
      return forAnthropic(Anthropic.layer({ ...settings.anthropic, ...timeouts }))
    case "gemini":
      return Gemini.layer({ ...settings.gemini, ...timeouts, images })
  }
}

/** A provider that fails again and again is left alone for a while. The demo fails when it is asked to. */
const guarded = (settings: Settings, model: ModelSetting): Layer.Layer<ChatModel, never, HttpClient.HttpClient> =>
  model.provider === "demo" ? Demo.layer() : ModelBreaker.layer(providerLayer(settings, model))

/** The models that the settings name: the first answers, the others stand in for it, in order. */
export const layer = (settings: Settings): Layer.Layer<ChatModel, never, HttpClient.HttpClient> => {
  const [first, ...others] = settings.models
  return others.length === 0
    ? guarded(settings, first)
    : ChatModel.fallback([
        { layer: guarded(settings, first) },
        ...others.map((model) => ({ layer: guarded(settings, model), model: nameOf(model) }))
      ])
}
