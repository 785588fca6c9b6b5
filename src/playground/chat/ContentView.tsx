import type { InputContent } from "../../protocol/Content.ts"

/** What is shown of an image's address: the data of an inline one is long. */
const shown = (url: string): string => (url.startsWith("data:") ? `${url.slice(0, 40)}…` : url)

/** What somebody said, as it was written; images are told, not loaded. */
export const ContentView = ({ content }: { readonly content: InputContent }) =>
  typeof content === "string" ? (
    <p class="plain">{content}</p>
  ) : (
    <div>
      {content.map((block, index) => (
        <p class="plain" key={index}>
          {block.type === "text" ? block.text : `[image] ${shown(block.url)}`}
        </p>
      ))}
    </div>
  )
