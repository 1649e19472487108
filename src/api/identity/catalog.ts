import { ApiError } from '../../errors.ts'
import type { Route } from '../route.ts'
import { catalogView } from './catalog.view.ts'
import { collectionView } from './collection.view.ts'

/** What a token opens, for whoever has one already. */
export function catalogRoutes(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/v3/auth/catalog',
      access: 'principal',
      summary: 'Shows the catalog of a project’s token',
      async handler(context) {
        if (context.principal.scope === undefined)
          throw new ApiError('forbidden', 'Without a project there is no catalog')
        const catalog = catalogView(context.publicUrl)
        return { status: 200, body: collectionView(context, 'catalog', catalog) }
      },
    },
  ]
}
