import type { Outcome, Result } from "./Check.ts"
import type { Exchange } from "./Exchange.ts"
import * as Section from "./Section.ts"

const marks: Readonly<Record<Outcome["_tag"], string>> = { Pass: "pass", Fail: "FAIL", NotApplicable: "n/a " }

const indented = (text: string, by: string): string => text.replaceAll(/^(?=.)/gm, by)

/** A row of the table: what came of a rule, its name, where it stands, and what it says or what is wrong. */
export const row = ({ outcome, rule }: Result, width: number): string => {
  const told = outcome._tag === "NotApplicable" ? `${rule.says} (${outcome.reason})` : rule.says
  const line = `${marks[outcome._tag]}  ${rule.id.padEnd(width)}  ${rule.section.padEnd(Section.width)}  ${told}`
  return outcome._tag === "Fail" ? `${line}\n${indented(outcome.message, "      ")}` : line
}

const exchange = ({ contentType = "", method, path, received, sent, status }: Exchange): string =>
  [
    `> ${method} ${path}`,
    ...(sent === undefined ? [] : [indented(sent, "> ")]),
    status === undefined ? "< (no answer)" : `< ${status} ${contentType}`.trimEnd(),
    ...(received === "" ? [] : [indented(received.trimEnd(), "< ")])
  ].join("\n")

/** What was sent and answered for a rule that is broken; nothing for others. */
export const exchanges = ({ outcome, rule }: Result): ReadonlyArray<string> =>
  outcome._tag === "Fail" ? [`${rule.id}: ${outcome.message}\n\n${outcome.exchanges.map(exchange).join("\n\n")}`] : []

/** How many rules passed, failed, and did not apply. */
export const summary = (results: ReadonlyArray<Result>): string => {
  const count = (tag: Outcome["_tag"]) => results.filter(({ outcome }) => outcome._tag === tag).length
  return `${count("Pass")} passed, ${count("Fail")} failed, ${count("NotApplicable")} not applicable`
}

/** Whether a server keeps every rule that applies. */
export const isSound = (results: ReadonlyArray<Result>): boolean =>
  results.every(({ outcome }) => outcome._tag !== "Fail")

/** A result for programs: the rule, its place, `pass`, `fail` or `not_applicable`, and why. */
export const toJson = ({ outcome, rule: { id, says, section } }: Result) => {
  const rule = { rule: id, section, says }
  switch (outcome._tag) {
    case "Pass":
      return { ...rule, outcome: "pass" }
    case "Fail":
      return { ...rule, outcome: "fail", message: outcome.message, exchanges: outcome.exchanges }
    case "NotApplicable":
      return { ...rule, outcome: "not_applicable", reason: outcome.reason }
  }
}
