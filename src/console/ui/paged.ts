import { type ReadonlySignal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { Page } from '../api/lists.ts'

/** A list that is read as far as the user has scrolled. */
export type Paged<T> = {
  readonly items: readonly T[]
  readonly total: number
  readonly isLoading: boolean
  /** Whether the list was read, and there is nothing in it. */
  readonly isEmpty: boolean
  /** Whether there are more items to read. */
  readonly hasMore: boolean
  readonly error: string | undefined
  /** Reads the next page; does nothing while a page is being read, or after the last. */
  readonly more: () => void
  /** Reads the list again from the beginning. */
  readonly reload: () => void
}

type State<T> = Omit<Paged<T>, 'isEmpty' | 'more' | 'reload'>
type Reader<T> = (marker: string | undefined, signal: AbortSignal) => Promise<Page<T>>

/** Reads a list in pages, and from scratch when `key` changes.
 *  @param key everything that the list depends on
 *  @param version of the listed data: when it changes, the list is read again, and the old one is shown until then */
export function usePaged<T>(key: string, read: Reader<T>, version = 0): Paged<T> {
  const list = useMemo(() => new PagedList(read), [key])
  useEffect(() => {
    list.reload()
    return () => list.stop()
  }, [list, version])
  const { more, reload } = list
  const state = list.state.value
  const isEmpty = state.items.length === 0 && !state.isLoading && state.error === undefined
  return { ...state, isEmpty, more, reload }
}

class PagedList<T> {
  readonly #read: Reader<T>
  readonly #state = signal<State<T>>({
    items: [],
    total: 0,
    isLoading: true,
    hasMore: false,
    error: undefined,
  })
  #next: string | undefined
  #abort = new AbortController()

  constructor(read: Reader<T>) {
    this.#read = read
  }

  get state(): ReadonlySignal<State<T>> {
    return this.#state
  }

  readonly reload = (): void => {
    this.stop()
    this.#abort = new AbortController()
    void this.#load(undefined)
  }

  readonly more = (): void => {
    if (this.#next === undefined || this.#state.value.isLoading) return
    void this.#load(this.#next)
  }

  stop(): void {
    this.#abort.abort()
  }

  async #load(marker: string | undefined): Promise<void> {
    const { signal } = this.#abort
    this.#state.value = { ...this.#state.value, isLoading: true, error: undefined }
    try {
      const { items, total, next } = await this.#read(marker, signal)
      if (signal.aborted) return
      this.#next = next
      const all = marker === undefined ? items : [...this.#state.value.items, ...items]
      const hasMore = next !== undefined
      this.#state.value = { items: all, total, isLoading: false, hasMore, error: undefined }
    } catch (error) {
      if (signal.aborted) return
      const text = error instanceof Error ? error.message : String(error)
      this.#state.value = { ...this.#state.value, isLoading: false, error: text }
    }
  }
}
