import type { MarkedToken, Token } from "marked"
import type { ComponentChildren, VNode } from "preact"
import { useRef } from "preact/hooks"
import { undirected } from "../../client/Printable.ts"
import { memo } from "../Memo.tsx"
import * as Blocks from "./Blocks.ts"

const known = new Set(["http:", "https:", "mailto:"])

/** A link's address where it may be followed: of the web, or of a mailbox. */
export const safeHref = (href: string): string | undefined =>
  known.has(URL.parse(href)?.protocol ?? "") ? href : undefined

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: "\u00a0" }

const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)

/** Marked's own kinds of tokens; `html` is not among them. */
const kinds = new Set(
  "space def code heading table hr blockquote list checkbox paragraph text escape link image strong em del codespan br".split(
    " "
  )
)

const isKnown = (token: Token): token is MarkedToken => kinds.has(token.type)

const nodes = (tokens: ReadonlyArray<Token> = []): Array<ComponentChildren> => tokens.map(node)

const headings = ["h3", "h4", "h5", "h6", "h6", "h6"] as const

/** What is no token of ours, raw HTML first of all, is the text that it was written as. */
const node = (token: Token): ComponentChildren => {
  if (!isKnown(token)) return token.raw
  switch (token.type) {
    case "space":
    case "def":
      return null
    case "code":
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      )
    case "heading": {
      const Heading = headings[token.depth - 1] ?? "h6"
      return <Heading>{nodes(token.tokens)}</Heading>
    }
    case "table":
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <section class="table" aria-label="Table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                {token.header.map((cell) => (
                  <th scope="col">{nodes(cell.tokens)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {token.rows.map((row) => (
                <tr>
                  {row.map((cell) => (
                    <td>{nodes(cell.tokens)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )
    case "hr":
      return <hr />
    case "blockquote":
      return <blockquote>{nodes(token.tokens)}</blockquote>
    case "list": {
      const items = token.items.map((item) => <li>{nodes(item.tokens)}</li>)
      return token.ordered ? <ol start={token.start === "" ? 1 : token.start}>{items}</ol> : <ul>{items}</ul>
    }
    case "checkbox":
      return token.checked ? "☑ " : "☐ "
    case "paragraph":
      return <p>{nodes(token.tokens)}</p>
    case "text":
      return "tokens" in token && token.tokens !== undefined ? nodes(token.tokens) : unescaped(token.text)
    case "escape":
      return unescaped(token.text)
    case "link": {
      const href = safeHref(token.href)
      return href === undefined ? (
        token.raw
      ) : (
        <a href={href} rel="noopener noreferrer" target="_blank">
          {nodes(token.tokens)}
        </a>
      )
    }
    case "image":
      return (
        <span class="image">
          [image: {token.text}] {token.href}
        </span>
      )
    case "strong":
      return <strong>{nodes(token.tokens)}</strong>
    case "em":
      return <em>{nodes(token.tokens)}</em>
    case "del":
      return <del>{nodes(token.tokens)}</del>
    case "codespan":
      return <code>{token.text}</code>
    case "br":
      return <br />
    default:
      return token.raw
  }
}

/** A block; that of a token that was shown before is not made again. */
const Block = memo(({ token }: { readonly token: Token }) => <>{node(token)}</>)

/** `text` is undirected, and so are the blocks. */
const view = (text: string, { tokens }: Blocks.Blocks, toNode: (token: Token) => ComponentChildren): VNode => (
  <div class="markdown">{tokens === undefined ? <p>{text}</p> : tokens.map(toNode)}</div>
)

/**
 * A model's Markdown as nodes.
 *
 * 1. No element is made but by a token of Markdown: raw HTML is text.
 * 2. Links lead to http, https and mailto addresses alone, and tell nobody where they were followed from; others are text.
 * 3. Images are not loaded: what they show and where they stand is told.
 * 4. A code or a text reads in its own direction: what overrides it is spelled.
 * 5. What is nested too deep to be read, or too long, is text.
 */
export const render = (written: string): VNode => {
  const text = undirected(written)
  return view(text, Blocks.parse(text), node)
}

/** A model's text, which may grow: only its last blocks are read and made anew. */
export const Markdown = ({ text: written }: { readonly text: string }) => {
  const text = undirected(written)
  const blocks = useRef(Blocks.empty)
  blocks.current = Blocks.parse(text, blocks.current)
  return view(text, blocks.current, (token) => <Block token={token} />)
}
