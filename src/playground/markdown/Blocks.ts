import { lexer, type Token } from "marked"

/** A text as blocks of Markdown. `tokens` is missing where it is to be shown as the text that it is. */
export interface Blocks {
  readonly tokens: ReadonlyArray<Token> | undefined
  /** The blocks that nothing can change that is written behind them, and what they were written as. */
  readonly finished: { readonly source: string; readonly tokens: ReadonlyArray<Token> }
}

const nothing: Blocks["finished"] = { source: "", tokens: [] }

/** Nothing is written. */
export const empty: Blocks = { tokens: [], finished: nothing }

/** How deep Markdown may be nested to be shown as such. */
const deepest = 40

/** How long a text may be to be read as Markdown, in characters: some texts take the longer to read by the square of that. */
const longest = 100_000

const childrenOf = (token: Token): ReadonlyArray<Token> => {
  if (token.type === "list" && "items" in token) return token.items
  if (token.type === "table" && "rows" in token) {
    return [...token.header, ...token.rows.flat()].flatMap(
      (cell: { readonly tokens: ReadonlyArray<Token> }) => cell.tokens
    )
  }
  return "tokens" in token ? (token.tokens ?? []) : []
}

/** Level by level, since what is nested too deep to be shown is so for a recursion too. */
const isTooDeep = (tokens: ReadonlyArray<Token>): boolean => {
  let level = tokens
  for (let depth = 0; depth < deepest; depth++) level = level.flatMap(childrenOf)
  return level.length > 0
}

interface Read {
  readonly tokens: ReadonlyArray<Token>
  /** Whether the text says where links lead that stand elsewhere. */
  readonly hasDefinitions: boolean
}

const read = (text: string): Read | undefined => {
  try {
    const tokens = lexer(text)
    return isTooDeep(tokens) ? undefined : { tokens: [...tokens], hasDefinitions: Object.keys(tokens.links).length > 0 }
  } catch {
    return undefined
  }
}

/**
 * Whether a block may bear on others: it may begin the definition of a link, whose title may go on over blank lines; and
 * the lexer takes a tag of HTML that it found open in one block to be open in the next.
 */
const isBinding = ({ raw, type }: Token): boolean => type !== "code" && /\]:|<\/?(?:a|code|kbd|pre|script)\b/i.test(raw)

const sourceOf = (tokens: ReadonlyArray<Token>): string => tokens.map(({ raw }) => raw).join("")

/**
 * How many of the blocks are finished: those before a blank line and one whole line behind it. A line that is still being
 * written may yet turn out to go on with the block before.
 */
const finishedCount = (tokens: ReadonlyArray<Token>): number => {
  const binding = tokens.findIndex(isBinding)
  let isLineWhole = false
  for (let index = tokens.length - 1; index > 0; index--) {
    isLineWhole ||= tokens[index]?.raw.includes("\n") === true
    const isBegun = tokens[index]?.type !== "space" && tokens[index - 1]?.type === "space"
    if (isBegun && isLineWhole && (binding === -1 || index <= binding)) return index
  }
  return 0
}

/**
 * The blocks of a text, given those of what it may have grown from.
 *
 * 1. The blocks are those of the text by itself, whatever is given with it.
 * 2. A block that is finished is read once: where the text begins as before, its token is the very same.
 * 3. What is nested too deep to be read, or too long, has no blocks.
 */
export const parse = (written: string, before: Blocks = empty): Blocks => {
  if (written.length > longest) return { tokens: undefined, finished: nothing }
  const text = written.replaceAll(/\r\n?/g, "\n")
  const finished = text.startsWith(before.finished.source) ? before.finished : nothing
  const rest = read(text.slice(finished.source.length))
  if (rest === undefined) return { tokens: undefined, finished }
  if (rest.hasDefinitions) return { tokens: finished === nothing ? rest.tokens : read(text)?.tokens, finished: nothing }
  const count = finishedCount(rest.tokens)
  const newly = rest.tokens.slice(0, count)
  return {
    tokens: [...finished.tokens, ...rest.tokens],
    finished:
      count === 0 ? finished : { source: finished.source + sourceOf(newly), tokens: [...finished.tokens, ...newly] }
  }
}
