/** Who may read `/metrics`: whoever may ask the API, anybody that reaches the server, or nobody. */
export type MetricsAccess = "key" | "open" | "off"

/**
 * What machines ask every few seconds, and people never. These paths belong to operators and not to the protocol: they are no
 * part of its `HttpApi`, so they stand in no OpenAPI document and no typed client, and they have no spans.
 */
export const paths = { alive: "/healthz", ready: "/readyz", metrics: "/metrics" } as const

/** Whether an address is one of them. */
export const isProbe = (url: string): boolean => {
  const path = url.split("?")[0]
  return path === paths.alive || path === paths.ready || path === paths.metrics
}
