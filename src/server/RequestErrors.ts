import { Schema } from "effect"
import { ErrorDetail } from "../protocol/ErrorBody.ts"

/** The body is no JSON that this server reads. */
export class InvalidJson extends Schema.TaggedError<InvalidJson>()("InvalidJson", { message: Schema.String }) {}

/** The body, the path or the query does not have the shape that the protocol gives it. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()("InvalidRequest", {
  details: Schema.Array(ErrorDetail)
}) {
  override get message() {
    const [first] = this.details
    return first === undefined ? "the request does not fit" : `${first.path || "the body"}: ${first.message}`
  }
}

/** The body is larger than this server takes; `limit` in bytes. */
export class PayloadTooLarge extends Schema.TaggedError<PayloadTooLarge>()("PayloadTooLarge", { limit: Schema.Int }) {
  override get message() {
    return `the body is larger than ${this.limit} bytes, the most that this server takes`
  }
}

/** The body is of a kind that this server does not read. */
export class UnsupportedMediaType extends Schema.TaggedError<UnsupportedMediaType>()("UnsupportedMediaType", {
  message: Schema.String
}) {}

/** No key, or a key that this server does not know. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  override get message() {
    return "send a key of this server as `Authorization: Bearer KEY`"
  }
}

/** A page from elsewhere asks a server that has no keys. `origin` is the page's, or what its name leads here by. */
export class OriginNotAllowed extends Schema.TaggedError<OriginNotAllowed>()("OriginNotAllowed", {
  origin: Schema.String
}) {
  override get message() {
    return `without keys this server answers pages of its own machine, not of ${this.origin}; name that origin in AAP_ORIGINS, or give the server keys`
  }
}

/** The agent does not declare this type of history. */
export class HistoryNotSupported extends Schema.TaggedError<HistoryNotSupported>()("HistoryNotSupported", {
  type: Schema.String
}) {
  override get message() {
    return `this session's agent does not show its ${this.type} history; /meta says which it shows`
  }
}

/** The server is about to end and takes no new turns. */
export class ShuttingDown extends Schema.TaggedError<ShuttingDown>()("ShuttingDown", {}) {
  override get message() {
    return "the server is shutting down; try again on its successor"
  }
}

/** Nothing stands at this path. */
export class UnknownRoute extends Schema.TaggedError<UnknownRoute>()("UnknownRoute", { path: Schema.String }) {
  override get message() {
    return `nothing stands at ${this.path}; /openapi.json lists what does`
  }
}

/** The path takes other methods than this. */
export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  allow: Schema.Array(Schema.String)
}) {
  override get message() {
    return `this path takes ${this.allow.join(", ")}`
  }
}
