import { useCallback, useEffect, useState } from 'preact/hooks'

/** What was read, or why it could not be. */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly reload: () => void
}

/** Reads something when it is first shown, and again when asked to.
 *  @param read the same function as long as the same is to be read */
export function useLoaded<T>(read: () => Promise<T>): Loaded<T> {
  const [value, setValue] = useState<T>()
  const [error, setError] = useState<string>()
  const reload = useCallback(() => {
    setError(undefined)
    read().then(setValue, failure => setError(failure.message))
  }, [read])
  useEffect(reload, [reload])
  return { value, error, reload }
}
