import { cpus } from "node:os"
import { type Figure, summary } from "./Figure.ts"

/** Where and when something was measured. */
export interface Occasion {
  readonly date: string
  readonly cores: number
  readonly processor: string
  readonly node: string
  /** How many processes wanted a core before it began, on the average of a minute. */
  readonly load: number
  readonly isQuick: boolean
}

/** This machine. */
export const occasion = (millis: number, load: number, isQuick: boolean): Occasion => ({
  date: new Date(millis).toISOString().slice(0, 10),
  cores: cpus().length,
  processor: cpus()[0]?.model.trim() ?? "unknown",
  node: process.versions.node,
  load,
  isQuick
})

const short = (value: number): string => {
  if (!Number.isFinite(value)) return "?"
  const size = Math.abs(value)
  return size >= 1000 ? Math.round(value).toLocaleString("en") : value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

const verdict = (figure: Figure): string => {
  if (figure.atMost === undefined) return ""
  const isMet = summary(figure).compared <= figure.atMost
  return `${figure.compare === "ratio" ? "" : "+"}${figure.atMost}: ${isMet ? "met" : "missed"}`
}

const row = (figure: Figure): string => {
  const { base, compared, least, most, ours } = summary(figure)
  const sign = (value: number) => (figure.compare === "ratio" || value < 0 ? short(value) : `+${short(value)}`)
  const noise = `${sign(least)} to ${sign(most)}`
  return `| ${figure.name} | ${figure.unit} | ${short(ours)} | ${short(base)} | ${sign(compared)} | ${noise} | ${verdict(figure)} |`
}

/** How late the bare relay may be, in milliseconds, before its lateness is that of a machine that has too much to do. */
const punctual = 5

const isBehind = (figure: Figure): boolean => figure.name === "latency p50" && summary(figure).base > punctual

const behind = `Here the bare relay is itself more than ${punctual} ms late: all processes together have more to do than this machine can, so that
latency is how long a delta waits for a core, and the server reads several deltas at once. More cores tell more.`

const table = (figures: ReadonlyArray<Figure>): string => {
  const [first] = figures
  if (first === undefined) return ""
  return [
    `## ${first.group}`,
    "",
    `| what | unit | server | ${first.against} | compared | least to most | at most |`,
    "|---|---|---:|---:|---:|---:|---|",
    ...figures.map(row),
    "",
    ...(figures.some(isBehind) ? [behind, ""] : [])
  ].join("\n")
}

/** The results as a page. */
export const page = (
  { cores, date, isQuick, load, node, processor }: Occasion,
  figures: ReadonlyArray<Figure>
): string => {
  const groups = [...new Set(figures.map(({ group }) => group))]
  const quick = isQuick ? "\nA quick run, which shows that everything works: its numbers mean nothing.\n" : ""
  return `# What the server costs

Written by \`npm run bench\` on ${date}: ${cores} cores (${processor}), Node ${node}, load ${load.toFixed(2)} at the start.
${quick}
All processes run on this machine: a mock model server, the server with SQLite as \`npm start\` runs it, a bare relay
(\`node:http\` alone: it parses the model's events and writes ours), the same relay on Effect's HTTP client and server and
nothing else, and a load generator. They are measured in turn, in turned order, after a warm-up. Numbers are medians;
"compared" is the median of the rounds' ratios, or with a sign of their differences, and "least to most" is how far the
rounds lie apart. What the relay on Effect's HTTP comes to, no server on it can be below.

![Ratios and their noise](results.svg)

${groups.map((group) => table(figures.filter((figure) => figure.group === group))).join("\n")}`
}
