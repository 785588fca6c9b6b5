/** Whether an agent server keeps the rules of the protocol. */
export * as Check from "./conformance/Check.ts"
export type { Exchange } from "./conformance/Exchange.ts"
export * as Report from "./conformance/Report.ts"
export type { Rule } from "./conformance/Rule.ts"
export { rules } from "./conformance/Rules.ts"
export * as ScriptedModel from "./conformance/ScriptedModel.ts"
export { ScriptedModelServer } from "./conformance/ScriptedModelServer.ts"
