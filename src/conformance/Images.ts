/** An image of one dot, in itself. */
export const dot =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="

/** The address of an image. A server that fetches images may find none there. */
export const dotAddress = "https://example.com/dot.png"
