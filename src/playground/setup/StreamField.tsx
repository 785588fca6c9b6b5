import type { StreamMode } from "../../protocol/Turn.ts"

const titles = { delta: "Piece by piece", message: "Block by block", none: "All at once" } as const

interface Props {
  readonly modes: ReadonlyArray<StreamMode>
  readonly mode: StreamMode
  readonly onChange: (mode: StreamMode) => void
}

/** How answers come, of the ways that the agent has. */
export const StreamField = ({ mode, modes, onChange }: Props) => (
  <label>
    Answers come
    <select
      value={mode}
      onChange={(event) => {
        const chosen = modes.find((other) => other === event.currentTarget.value)
        if (chosen !== undefined) onChange(chosen)
      }}
    >
      {modes.map((name) => (
        <option key={name} value={name}>
          {titles[name]}
        </option>
      ))}
    </select>
  </label>
)
