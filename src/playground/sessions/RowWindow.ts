/** What is seen of a list whose rows are all as high, in pixels. */
export interface Sight {
  readonly rows: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly height: number
}

/** The rows that are there: from the `first` of them on, up to the `end`, which is none of them. */
export interface RowWindow {
  readonly first: number
  readonly end: number
}

/** How many rows are there above and below those that are seen, for who scrolls fast. */
const margin = 10

/**
 * The rows that must be there.
 *
 * 1. Every row that is seen, even in part, is there.
 * 2. There are no more than are seen at once and a margin on either side, however many rows the list has.
 */
export const rowWindow = ({ height, rowHeight, rows, scrollTop }: Sight): RowWindow => {
  const seen = Math.ceil(height / rowHeight) + 1
  const top = Math.min(Math.max(0, Math.floor(scrollTop / rowHeight)), Math.max(0, rows - seen))
  return { first: Math.max(0, top - margin), end: Math.min(rows, top + seen + margin) }
}
