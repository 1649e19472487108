import { effect, signal } from '@preact/signals'

// What somebody has typed and not applied. It stays while other pages are looked at, until the tab is closed or somebody
// else signs in.

const kept = signal<ReadonlyMap<string, unknown>>(new Map())

/** Something kept under a name, and how it is set; undefined forgets it. */
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

// Asks before the tab is closed while something is kept.
effect(() => {
  if (kept.value.size > 0) addEventListener('beforeunload', warn)
  else removeEventListener('beforeunload', warn)
})
