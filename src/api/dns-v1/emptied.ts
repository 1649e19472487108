import type { Reply } from '../route.ts'

/** The answer to a deletion: no content, with the media type of a page. */
export const emptied: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
}

/** For `produces` of such a route: it accepts clients that take only the type of its other answers, and clients that take the
 *  type of this one. */
export const emptiedTypes = ['application/json', 'text/html'] as const
