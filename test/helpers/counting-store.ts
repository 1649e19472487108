import type { Store, StoreReader } from '../../src/store/store.ts'

/** A store that counts the rows it is asked for outside transactions: the cost of a read, without a clock. */
export type CountingStore = {
  readonly store: Store
  /** The rows read since the last call. */
  takeCount(): number
}

export function countingStore(store: Store): CountingStore {
  let count = 0
  function* counted<R>(rows: Iterable<R>): Generator<R> {
    for (const row of rows) {
      count += 1
      yield row
    }
  }
  const counting: Pick<StoreReader, 'get' | 'find' | 'list'> = {
    get: (collection, id) => {
      count += 1
      return store.get(collection, id)
    },
    find: (collection, index, key) => {
      count += 1
      return store.find(collection, index, key)
    },
    list: (collection, index, key, options) => counted(store.list(collection, index, key, options)),
  }
  const proxy = new Proxy(store, {
    get(target, name) {
      if (name in counting) return counting[name as keyof typeof counting]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    store: proxy,
    takeCount() {
      const taken = count
      count = 0
      return taken
    },
  }
}
