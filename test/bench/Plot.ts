import { type Figure, summary } from "./Figure.ts"

const rowHeight = 26
const left = 570
const width = 1040

const escaped = (text: string): string =>
  text.replaceAll("`", "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Powers of two, from a quarter on, as far as there is something to show. */
const ticksTo = (most: number): ReadonlyArray<number> => {
  const ticks = [0.25, 0.5, 1, 2]
  for (let tick = 4; tick / 2 < most; tick *= 2) ticks.push(tick)
  return ticks
}

/** The ratios of a run on a logarithmic scale: a bar for the noise, a dot for the median, a line for the target. */
export const svg = (figures: ReadonlyArray<Figure>): string => {
  const ratios = figures.filter(({ compare }) => compare === "ratio")
  const rows = ratios.map((figure) => ({ figure, ...summary(figure) })).filter(({ most }) => Number.isFinite(most))
  const ticks = ticksTo(Math.max(2, ...rows.map(({ most }) => most)))
  const [low = 0.25, high = 2] = [ticks[0], ticks.at(-1)]
  const x = (ratio: number): string => {
    const part = Math.log(Math.min(Math.max(ratio, low), high) / low) / Math.log(high / low)
    return (left + part * (width - left - 40)).toFixed(1)
  }
  const height = rows.length * rowHeight + 50
  const grid = ticks.map(
    (tick) =>
      `<line x1="${x(tick)}" x2="${x(tick)}" y1="20" y2="${height - 30}" stroke="${tick === 1 ? "#888" : "#ddd"}"/><text x="${x(tick)}" y="${height - 12}" text-anchor="middle">${tick}</text>`
  )
  const bars = rows.map(({ compared, figure, least, most }, index) => {
    const y = 20 + index * rowHeight + rowHeight / 2
    const target =
      figure.atMost === undefined
        ? ""
        : `<line x1="${x(figure.atMost)}" x2="${x(figure.atMost)}" y1="${y - 10}" y2="${y + 10}" stroke="#c33" stroke-width="2"/>`
    const label = escaped(`${figure.group}: ${figure.name}`)
    return `<text x="${left - 12}" y="${y + 4}" text-anchor="end">${label}</text><line x1="${x(least)}" x2="${x(most)}" y1="${y}" y2="${y}" stroke="#69c" stroke-width="6" stroke-linecap="round"/>${target}<circle cx="${x(compared)}" cy="${y}" r="5" fill="#036"/>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<title>Ratios to the bare relay, and their noise</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${[...grid, ...bars].join("\n")}
</svg>
`
}
