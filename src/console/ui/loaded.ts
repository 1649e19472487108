import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

/** A value that was read, or why it could not be read. */
export type Loaded<T> = {
  readonly value: T | undefined
  readonly error: string | undefined
  readonly reload: () => void
  /** Shows the server's response to a change. */
  readonly replace: (value: T) => void
}

/** Reads a value when it is first shown, and again on `reload`. A response is dropped if a later one is shown already.
 *  @param inputs what the value depends on: when they change, another is read */
export function useLoaded<T>(read: () => Promise<T>, inputs: readonly unknown[] = []): Loaded<T> {
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
  }, inputs)
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

/** Like `useLoaded`, and reads again every `everyMs` for as long as the value is shown. */
export function usePolled<T>(
  read: () => Promise<T>,
  everyMs: number,
  inputs: readonly unknown[] = [],
): Loaded<T> {
  const loaded = useLoaded(read, inputs)
  const { reload } = loaded
  useEffect(() => {
    const timer = setInterval(reload, everyMs)
    return () => clearInterval(timer)
  }, [reload, everyMs])
  return loaded
}
