import type { Reply } from './route.ts'

/** A list under its key, or bare without one, sent a page at a time.
 *  @param pages read as fast as the client reads; the first one at once, so that it can still be refused */
export function listReply<T>(
  key: string | undefined,
  pages: Iterable<readonly T[]>,
  viewOf: (item: T) => object,
): Reply {
  const walk = pages[Symbol.iterator]()
  const first = walk.next()
  const [head, end] = key === undefined ? ['[', ']'] : [`{${JSON.stringify(key)}: [`, ']}']
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    async *stream() {
      yield head
      let separator = ''
      for (let page = first; page.done !== true; page = walk.next()) {
        if (page.value.length === 0) continue
        yield separator + page.value.map(item => JSON.stringify(viewOf(item))).join(', ')
        separator = ', '
      }
      yield end
    },
  }
}
