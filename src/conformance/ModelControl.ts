import { Context, type Duration, Effect, Option, Schema } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { RuleBroken } from "./Rule.ts"
import { Greeting } from "./ScriptedModel.ts"
import { Asked } from "./ScriptMemory.ts"

/** The scripted model, as a check asks it what it was asked. */
export class ModelControl extends Context.Service<
  ModelControl,
  {
    /** What the model was asked under a tag, in order. */
    readonly asked: (tag: string) => Effect.Effect<ReadonlyArray<Asked>, RuleBroken>
    /** Lets the script of a tag go on. */
    readonly release: (tag: string) => Effect.Effect<void, RuleBroken>
  }
>()("effect-aap/conformance/ModelControl") {
  /** The model at this base URL; none where something else stands there, or nothing. */
  static readonly make = Effect.fnUntraced(function* (baseUrl: string, patience: Duration.Duration) {
    const client = HttpClient.filterStatusOk(yield* HttpClient.HttpClient)
    const lost = ({ message }: { readonly message: string }) =>
      new RuleBroken({ message: `the scripted model at ${baseUrl} does not answer: ${message}` })
    const isThere = yield* client
      .get(`${baseUrl}/`)
      .pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Greeting)), Effect.timeout(patience), Effect.option)
    return Option.map(isThere, () =>
      ModelControl.of({
        asked: (tag) =>
          client
            .get(`${baseUrl}/script/${tag}`)
            .pipe(
              Effect.flatMap(HttpClientResponse.schemaBodyJson(Schema.Array(Asked))),
              Effect.timeout(patience),
              Effect.mapError(lost)
            ),
        release: (tag) =>
          client
            .post(`${baseUrl}/script/${tag}/release`)
            .pipe(Effect.timeout(patience), Effect.mapError(lost), Effect.asVoid)
      })
    )
  })
}
