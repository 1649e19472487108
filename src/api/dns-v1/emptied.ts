import type { Reply } from '../route.ts'

/** What a deletion is answered with: nothing, and of a type that only a page would have. */
export const emptied: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
}

/** For `produces` of a route that answers so: who takes only what its other calls are answered with is answered as
 *  well as who takes what the header says. */
export const emptiedTypes = ['application/json', 'text/html'] as const
