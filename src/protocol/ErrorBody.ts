import { Schema } from "effect"

/** One place in a request that does not fit: where (`messages[0].content`) and what would be right. */
export const ErrorDetail = Schema.Struct({ path: Schema.String, message: Schema.String })
export type ErrorDetail = typeof ErrorDetail.Type

/** The body of every answer that is not a success. `code` is stable and made for programs, `message` for people. */
export const ErrorBody = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    details: Schema.optionalKey(Schema.Json)
  })
}).annotate({ identifier: "ErrorBody" })
export type ErrorBody = typeof ErrorBody.Type
