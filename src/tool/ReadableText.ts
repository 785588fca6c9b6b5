/** Elements whose content nobody reads. */
const unread: ReadonlySet<string> = new Set([
  "script",
  "style",
  "noscript",
  "template",
  "svg",
  "head",
  "iframe",
  "object"
])

/** Elements that begin a line of their own. */
const blocks =
  /^(?:p|div|br|li|ul|ol|dl|dt|dd|tr|table|h[1-6]|section|article|header|footer|main|nav|aside|pre|blockquote|hr|form|figure)$/

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  copy: "©",
  rsquo: "’",
  lsquo: "‘",
  rdquo: "”",
  ldquo: "“"
}

const codePoint = (code: number): string => (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : "")

const decodeEntities = (text: string): string =>
  text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi,
    (whole, hex: string, decimal: string, name: string) => {
      if (hex !== undefined) return codePoint(Number.parseInt(hex, 16))
      if (decimal !== undefined) return codePoint(Number(decimal))
      return entities[name.toLowerCase()] ?? whole
    }
  )

/** Where an element that is not read ends; the end of the text where it never does. */
const skip = (lower: string, name: string, from: number): number => {
  const close = lower.indexOf(`</${name}`, from)
  return close === -1 ? lower.length : close
}

/**
 * The text of an HTML page as a person would read it: no markup, no scripts, a line for each block. One pass, so its
 * time grows with the page's length alone. It is for reading, not for showing: what it gives is not safe as HTML.
 */
export const fromHtml = (html: string): string => {
  const lower = html.toLowerCase()
  const parts: Array<string> = []
  let index = 0
  while (index < html.length) {
    const open = html.indexOf("<", index)
    parts.push(html.slice(index, open === -1 ? html.length : open))
    if (open === -1) break
    if (lower.startsWith("<!--", open)) {
      const close = html.indexOf("-->", open)
      index = close === -1 ? html.length : close + 3
      continue
    }
    const close = html.indexOf(">", open)
    const name = /^<\/?([a-z][a-z0-9]*)/.exec(lower.slice(open, open + 20))?.[1]
    if (name === undefined) {
      parts.push("<")
      index = open + 1
      continue
    }
    if (blocks.test(name)) parts.push("\n")
    if (close === -1) break
    index = unread.has(name) && lower[open + 1] !== "/" ? skip(lower, name, close) : close + 1
  }
  return decodeEntities(parts.join(""))
    .split("\n")
    .map((line) => line.replaceAll(/\s+/g, " ").trim())
    .filter((line, at, lines) => line !== "" || (lines[at - 1] ?? "") !== "")
    .join("\n")
    .trim()
}
