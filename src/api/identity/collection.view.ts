import type { PublicContext } from '../route.ts'

/** A list in Keystone's form: always whole, so its links to other pages are null. */
export function collectionView<K extends string, V>(
  { baseUrl, path, query }: Pick<PublicContext, 'baseUrl' | 'path' | 'query'>,
  key: K,
  items: readonly V[],
) {
  const self = `${baseUrl}${path}${query.size === 0 ? '' : `?${query}`}`
  return { [key]: items, links: { self, previous: null, next: null } }
}
