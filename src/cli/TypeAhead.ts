import { Option, type Terminal } from "effect"

/** Keys that end a question or a turn; Esc, as part of other keys, does not. */
export const isQuit = ({ key }: Terminal.UserInput): boolean => key.ctrl && (key.name === "c" || key.name === "d")

const isEnter = ({ key }: Terminal.UserInput): boolean => key.name === "return" || key.name === "enter"

const keyless = { name: "", ctrl: false, meta: false, shift: false }

/** What a key types, where it types anything; Enter types a new line where more follows it. */
const textOf = (input: Terminal.UserInput, isLast: boolean): string | undefined => {
  if (isEnter(input)) return isLast ? undefined : "\n"
  if (input.key.name === "tab") return isLast ? undefined : "\t"
  const text = Option.getOrElse(input.input, () => "")
  return text === "" || input.key.ctrl || input.key.meta || /\p{Cc}/u.test(text) ? undefined : text
}

/**
 * Keys that came at once, such as those of a text that was pasted.
 *
 * 1. Its lines belong together: an Enter that more follows is a line's end and sends nothing off, and a tab is one.
 * 2. Neighbouring keys that type something are one, however long: a question is drawn anew for each key.
 */
export const together = (keys: ReadonlyArray<Terminal.UserInput>): ReadonlyArray<Terminal.UserInput> => {
  const joined: Array<Terminal.UserInput> = []
  let typed = ""
  const flush = () => {
    if (typed !== "") joined.push({ input: Option.some(typed), key: keyless })
    typed = ""
  }
  for (const [index, input] of keys.entries()) {
    const text = textOf(input, index === keys.length - 1)
    if (text === undefined) {
      flush()
      joined.push(input)
    } else typed += text
  }
  flush()
  return joined
}

/**
 * A text, once a key was pressed that no question waited for.
 *
 * 1. What is typed is added, and Enter as a new line; the backspace takes the last character away, Ctrl-U all of them.
 * 2. Other keys, such as arrows, change nothing: no control character but new lines and tabs gets in.
 */
export const typed = (text: string, input: Terminal.UserInput): string => {
  const { key } = input
  if (isEnter(input)) return `${text}\n`
  if (key.name === "backspace") return [...text].slice(0, -1).join("")
  if (key.ctrl) return key.name === "u" ? "" : text
  const added = Option.getOrElse(input.input, () => "")
  return /[^\P{Cc}\n\t]/u.test(added) ? text : text + added
}

/** Has a terminal set marks around what is pasted, and no longer; one that knows no marks shows neither. */
export const marked = { on: "\x1b[?2004h", off: "\x1b[?2004l" }

/** The text that is being pasted, where the end of it has not come. */
export type Paste = Option.Option<string>

/**
 * Keys as they came, with what stands between a terminal's marks as one key that types it: no Enter in it sends anything
 * off, in however many pieces it came. A key that quits ends the text, too.
 */
export const unmarked = (
  paste: Paste,
  keys: ReadonlyArray<Terminal.UserInput>
): readonly [keys: ReadonlyArray<Terminal.UserInput>, paste: Paste] => {
  let pasted = paste
  const typed: Array<Terminal.UserInput> = []
  for (const key of keys) {
    const isEnd = key.key.name === "paste-end"
    if (key.key.name === "paste-start") pasted = Option.orElse(pasted, () => Option.some(""))
    else if (Option.isNone(pasted)) typed.push(key)
    else if (!isEnd && !isQuit(key)) pasted = Option.some(pasted.value + (textOf(key, false) ?? ""))
    else {
      if (pasted.value !== "") typed.push({ input: Option.some(pasted.value), key: keyless })
      if (!isEnd) typed.push(key)
      pasted = Option.none()
    }
  }
  return [typed, pasted]
}
