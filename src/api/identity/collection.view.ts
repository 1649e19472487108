import { linksOf } from '../paging.ts'
import type { PublicContext } from '../route.ts'

/** A list in Keystone's form: always whole, so its links to other pages are null. */
export function collectionView<K extends string, V>(
  context: Pick<PublicContext, 'baseUrl' | 'path' | 'query'>,
  key: K,
  items: readonly V[],
) {
  return { [key]: items, links: { ...linksOf(context, undefined), previous: null, next: null } }
}
