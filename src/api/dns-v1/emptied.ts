import type { Reply } from '../route.ts'

/** What a deletion is answered with: nothing, and of a type that only a page would have. */
export const emptied: Reply = {
  status: 200,
  headers: { 'content-type': 'text/html; charset=utf-8' },
}
