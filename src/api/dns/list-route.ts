import type { TSchema } from 'typebox'
import type { Page, PageRequest } from '../../service/listing/listing.ts'
import { pageLinksOf } from '../paging.ts'
import { type CallerRoute, type RequestContext, type Route, route } from '../route.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'

/** A list that is short enough to be scanned for each of its pages. */
type ShortList<R> = Pick<CallerRoute, 'rule' | 'summary' | 'refusals'> & {
  readonly answer: TSchema
  /** The key of the rows in the answer. */
  readonly key: string
  readonly attributes: ListAttributes<R>
  pageOf(context: RequestContext, request: PageRequest<R>): Page<R> | Promise<Page<R>>
  /** Rows of which nothing is shown are left out. */
  viewOf(row: R, context: RequestContext): object | undefined
  metadataOf?(page: Page<R>): object | null
}

/** Declares the route of such a list. */
export function listRoute<R extends { readonly id: string }>(
  endpoint: `GET ${string}`,
  { answer, key, attributes, pageOf, viewOf, metadataOf, ...common }: ShortList<R>,
): Route {
  return route(endpoint, {
    ...common,
    answers: { 200: answer },
    query: listQuery(attributes),
    async respond(context) {
      const request = parseScanRequest(context.query, attributes)
      const page = await pageOf(context, request)
      return {
        [key]: page.rows.flatMap(row => viewOf(row, context) ?? []),
        links: pageLinksOf(context, page),
        ...(metadataOf && { metadata: metadataOf(page) }),
      }
    },
  })
}

/** How many rows a list has, for `metadataOf`. */
export function totalCountOf({ totalCount }: Page<unknown>): object {
  return { total_count: totalCount }
}
