/** How deep a JSON value may nest, wherever it comes from. Real ones stay under twenty; a parser's stack ends at some thousands. */
export const maxDepth = 64

/**
 * Whether a JSON text nests deeper than {@link maxDepth}. One pass over the characters, before anything is parsed; what
 * stands inside strings does not count.
 */
export const isTooDeep = (json: string): boolean => {
  let depth = 0
  let inString = false
  for (let index = 0; index < json.length; index++) {
    const code = json.charCodeAt(index)
    if (inString) {
      if (code === 0x5c) index++
      else if (code === 0x22) inString = false
    } else if (code === 0x22) inString = true
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > maxDepth) return true
    } else if (code === 0x7d || code === 0x5d) depth--
  }
  return false
}
