/** The panel that a narrow screen shows; a wide one shows them all. */
export type View = "setup" | "chat" | "events"

const views = [
  ["setup", "Setup"],
  ["chat", "Chat"],
  ["events", "Events"]
] as const

interface Props {
  readonly view: View
  readonly onChange: (view: View) => void
}

/** Chooses the panel, where there is room for one alone. */
export const Tabs = ({ onChange, view }: Props) => (
  <nav class="tabs" aria-label="Panels">
    {views.map(([name, title]) => (
      <button type="button" key={name} aria-pressed={view === name} onClick={() => onChange(name)}>
        {title}
      </button>
    ))}
  </nav>
)
