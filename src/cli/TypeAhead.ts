import { Option, type Terminal } from "effect"

const isEnter = ({ key }: Terminal.UserInput): boolean => key.name === "return" || key.name === "enter"

/**
 * Keys that came at once, such as those of a text that was pasted: its lines belong together, so that an Enter that more
 * follows is a line's end and sends nothing off.
 */
export const together = (keys: ReadonlyArray<Terminal.UserInput>): ReadonlyArray<Terminal.UserInput> =>
  keys.map((input, index) =>
    isEnter(input) && index < keys.length - 1
      ? { input: Option.some("\n"), key: { name: "", ctrl: false, meta: false, shift: false } }
      : input
  )

/**
 * A text, once a key was pressed that no question waited for.
 *
 * 1. What is typed is added, and Enter as a new line; the backspace takes the last character away, Ctrl-U all of them.
 * 2. Other keys, such as arrows, change nothing: no control character but the new line gets in.
 */
export const typed = (text: string, input: Terminal.UserInput): string => {
  const { key } = input
  if (isEnter(input)) return `${text}\n`
  if (key.name === "backspace") return [...text].slice(0, -1).join("")
  if (key.ctrl) return key.name === "u" ? "" : text
  const added = Option.getOrElse(input.input, () => "")
  return added === "\n" || !/\p{Cc}/u.test(added) ? text + added : text
}
