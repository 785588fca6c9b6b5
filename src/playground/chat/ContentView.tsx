import { undirected } from "../../client/Printable.ts"
import type { ImageBlock, InputContent, TextBlock } from "../../protocol/Content.ts"

const isInline = ({ url }: ImageBlock): boolean => url.startsWith("data:")

const Block = ({ block }: { readonly block: TextBlock | ImageBlock }) => {
  if (block.type === "text") return <p class="plain">{undirected(block.text)}</p>
  return isInline(block) ? (
    <img class="inline" src={block.url} alt="Attached" />
  ) : (
    <p class="plain">[image] {undirected(block.url)}</p>
  )
}

/** What somebody said, as it was written. Inline images are shown; those that stand elsewhere are told, not loaded. */
export const ContentView = ({ content }: { readonly content: InputContent }) =>
  typeof content === "string" ? (
    <p class="plain">{undirected(content)}</p>
  ) : (
    <div>
      {content.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </div>
  )
