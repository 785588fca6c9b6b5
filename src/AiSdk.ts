/** Models of the Vercel AI SDK's provider packages. The types need `@ai-sdk/provider`, an optional peer dependency. */
export * as AiSdk from "./model/AiSdk.ts"
