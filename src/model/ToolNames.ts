/** Names of tools as a provider takes them, and back. */
export interface ToolNames {
  readonly toAlias: (name: string) => string
  readonly toName: (alias: string) => string
}

const maxLength = 64

/** The letters, digits, `_` and `-` of a name, up to 64; what every provider takes. */
const plain = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxLength)

const free = (wish: string, taken: ReadonlyMap<string, string>): string => {
  if (!taken.has(wish)) return wish
  for (let count = 2; ; count++) {
    const next = `${wish.slice(0, maxLength - 1 - String(count).length)}_${count}`
    if (!taken.has(next)) return next
  }
}

const asTheyAre: ToolNames = { toAlias: (name) => name, toName: (alias) => alias }

/** Gives each name an alias of its own; a name that is plain already is its own alias. */
export const make = (names: Iterable<string>): ToolNames => {
  const unique = [...new Set(names)]
  if (unique.length === 0) return asTheyAre
  const toName = new Map(unique.filter((name) => plain(name) === name && name !== "").map((name) => [name, name]))
  const toAlias = new Map(toName)
  for (const name of unique) {
    if (toAlias.has(name)) continue
    const alias = free(plain(name) || "tool", toName)
    toAlias.set(name, alias)
    toName.set(alias, name)
  }
  return { toAlias: (name) => toAlias.get(name) ?? name, toName: (alias) => toName.get(alias) ?? alias }
}
