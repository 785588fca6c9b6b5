import { useCallback, useRef } from "preact/hooks"

/** A ref for an element that goes at times: the focus that it has then is given to its heir, and not lost. */
export const useHeir = (heir: () => HTMLElement | null | undefined) => {
  const own = useRef<HTMLElement | null>(null)
  const latest = useRef(heir)
  latest.current = heir
  return useCallback((element: HTMLElement | null) => {
    if (element === null && own.current !== null && own.current === document.activeElement) latest.current()?.focus()
    own.current = element
  }, [])
}
