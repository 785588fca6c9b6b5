import { type Schema, SchemaIssue } from "effect"
import type { ErrorDetail } from "./ErrorBody.ts"

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** The most places that are named; a body of a million wrong elements needs no longer answer. */
export const maxDetails = 20

type Path = NonNullable<ReturnType<typeof format>["issues"][number]["path"]>

const keysOf = (path: Path): ReadonlyArray<PropertyKey> =>
  path.map((part) => (typeof part === "object" ? part.key : part))

const toPath = (path: Path): string =>
  keysOf(path)
    .map((key, index) => (typeof key === "number" ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`))
    .join("")

/** The keys that lead to the first place where a value does not fit its Schema. */
export const firstPlace = (issue: SchemaIssue.Issue): ReadonlyArray<PropertyKey> =>
  keysOf(format(issue).issues[0]?.path ?? [])

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
