import { effect, signal } from '@preact/signals'

// Input that the user has typed and not applied. It is kept while other pages are shown, until the tab is closed or another
// user signs in.

const kept = signal<ReadonlyMap<string, unknown>>(new Map())

/** A value kept under a name, and its setter; undefined removes the value. */
export function useKept<T>(
  name: string,
): readonly [T | undefined, (next: (before: T | undefined) => T | undefined) => void] {
  const set = (next: (before: T | undefined) => T | undefined) => {
    const all = new Map(kept.peek())
    const value = next(all.get(name) as T | undefined)
    if (value === undefined) all.delete(name)
    else all.set(name, value)
    kept.value = all
  }
  return [kept.value.get(name) as T | undefined, set]
}

export function forgetKept(): void {
  kept.value = new Map()
}

const warn = (event: BeforeUnloadEvent) => event.preventDefault()

// The browser asks for confirmation before the tab is closed while something is kept.
effect(() => {
  if (kept.value.size > 0) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
})
