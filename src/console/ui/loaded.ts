import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** What was read, or why it could not be. */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly reload: () => void
  /** Shows what the server has answered to a change. */
  readonly replace: (value: T) => void
}

/** Reads something when it is first shown, and again when asked to. An answer is dropped where a later one is shown.
 *  @param read the same function as long as the same is to be read */
export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const asked = useRef(0)
  const shown = useRef(0)
  const dropEarlier = useCallback(() => {
    shown.current = asked.current
  }, [])
  const reload = useCallback(() => {
    asked.current += 1
    const number = asked.current
    const take = (next: T | undefined, failure?: Error) => {
      if (number <= shown.current) return
      shown.current = number
      if (failure === undefined) setValue(() => next)
      setError(failure?.message)
    }
    read().then(take, failure => take(undefined, failure))
  }, [read])
  useEffect(() => {
    reload()
    return dropEarlier
  }, [reload, dropEarlier])
  const replace = useCallback(
    (next: T) => {
      dropEarlier()
      setValue(() => next)
    },
    [dropEarlier],
  )
  return { value, error, reload, replace }
}

/** As `useLoaded`, and again every so many milliseconds for as long as it is shown. */
export function usePolled<T>(read: () => Promise<T>, everyMs: number): Loaded<T> {
  const loaded = useLoaded(read)
  const { reload } = loaded
  useEffect(() => {
    const timer = setInterval(reload, everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])
  return loaded
}
