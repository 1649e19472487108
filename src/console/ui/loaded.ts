import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** What was read, or why it could not be. */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly reload: () => void
}

/** Reads something when it is first shown, and again when asked to. Of several reads only the last counts, in whatever
 *  order they are answered.
 *  @param read the same function as long as the same is to be read */
export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const last = useRef(0)
  const reload = useCallback(() => {
    const own = ++last.current
    const isLast = () => own === last.current
    setError(undefined)
    read().then(
      found => isLast() && setValue(() => found),
      failure => isLast() && setError(failure.message),
    )
  }, [read])
  useEffect(() => {
    reload()
    return () => {
      last.current += 1
    }
  }, [reload])
  return { value, error, reload }
}
