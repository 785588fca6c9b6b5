import { type Schema, SchemaIssue } from "effect"
import type { ErrorDetail } from "./ErrorBody.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The most places that are named; a body of a million wrong elements needs no longer answer. */
export const maxDetails = 20

const toPath = (path: ReadonlyArray<unknown>): string =>
  path
    .map((part) => (typeof part === "object" && part !== null && "key" in part ? part.key : part))
    .map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join("")

/** The places where a value does not fit its Schema, and what would fit: `messages[0].content`, `Expected string | array`. */
export const schemaDetails = (issue: SchemaIssue.Issue): ReadonlyArray<ErrorDetail> =>
  format(issue)
    .issues.slice(0, maxDetails)
    .map(({ message, path = [] }) => ({ path: toPath(path), message }))

/** The same in a sentence, for whoever reads no lists. */
export const schemaSentence = ({ issue }: Schema.SchemaError): string =>
  schemaDetails(issue)
    .map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
    .join("; ")
