import type { ComponentChildren, Ref } from "preact"

interface Props {
  readonly label: string
  readonly kind: "log" | "scroll"
  readonly children: ComponentChildren
  readonly region?: Ref<HTMLElement>
  readonly onScroll?: () => void
}

/** A part of the page that scrolls by itself, which the keyboard reaches in every browser. */
export const ScrollRegion = ({ children, kind, label, onScroll, region }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section class={kind} aria-label={label} tabIndex={0} ref={region ?? null} onScroll={onScroll}>
    {children}
  </section>
)
