import { mapInSlices } from '../../time-slice.ts'
import type { PageLinks } from '../paging.ts'
import type { Reply } from '../route.ts'

/** The fields of a page besides its items. */
type PageFrame = { readonly links: PageLinks; readonly metadata: object }

/** A page of a list under its key, each item built and written separately: a thousand at once would hold up other requests.
 *  Rows for which `viewOf` returns nothing are omitted. */
export async function pageReply<R>(
  key: string,
  { rows, viewOf }: { readonly rows: readonly R[]; viewOf(row: R): object | undefined },
  frame: PageFrame,
): Promise<Reply> {
  const items = await mapInSlices(rows, row => {
    const view = viewOf(row)
    return view && JSON.stringify(view)
  })
  const shown = items.filter(item => item !== undefined)
  const list = `{${JSON.stringify(key)}:[${shown.join(',')}]`
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    text: `${list},${JSON.stringify(frame).slice(1)}`,
  }
}
