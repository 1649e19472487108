import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** What an entry of the browser's history keeps: how far the list was scrolled. */
type EntryState = { readonly scrollTop?: number } | null

/** Scrolls a list as far as it was when the user left it, once the user comes back to it and so much of it has been read.
 *  @param count of the rows that have been read
 *  @returns the listeners of the list */
export function useScrollPlace(list: RefObject<HTMLElement | null>, count: number) {
  const path = useRef(location.pathname)
  const wanted = useRef((history.state as EntryState)?.scrollTop)
  const reached = useRef(0)
  useLayoutEffect(() => {
    if (list.current === null || wanted.current === undefined) return
    list.current.scrollTop = wanted.current
    reached.current = list.current.scrollTop
    if (reached.current >= Math.floor(wanted.current)) wanted.current = undefined
  }, [list, count])
  /** Where the user has scrolled instead is where the user wants to be. */
  const onScroll = () => {
    if (list.current?.scrollTop !== reached.current) wanted.current = undefined
  }
  const onScrollEnd = () => {
    // The next page may be loading, with an entry of its own.
    if (list.current === null || location.pathname !== path.current) return
    if (wanted.current === undefined)
      history.replaceState({ scrollTop: list.current.scrollTop } satisfies EntryState, '')
  }
  return { onScroll, onScrollEnd }
}
