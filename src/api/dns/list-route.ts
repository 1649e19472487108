import type { TSchema } from 'typebox'
import type { Page, PageRequest } from '../../service/listing/listing.ts'
import { pageLinksOf } from '../paging.ts'
import { type CallerRoute, type RequestContext, type Route, route } from '../route.ts'
import { type ListAttributes, listQuery, parseScanRequest } from './page-request.ts'

/** A list that is short enough to be scanned for each of its pages. */
type ShortList<R> = Pick<CallerRoute, 'rule' | 'summary'> & {
  readonly answer: TSchema
  /** The key of the rows in the answer. */
  readonly key: string
  readonly attributes: ListAttributes<R>
  pageOf(context: RequestContext, request: PageRequest<R>): Page<R>
  /** Rows of which nothing is shown are left out. */
  viewOf(row: R, context: RequestContext): object | undefined
  metadataOf?(page: Page<R>): object | null
}

/** Declares the route of such a list. */
export function listRoute<R extends { readonly id: string }>(
  endpoint: `GET ${string}`,
  { rule, summary, answer, key, attributes, pageOf, viewOf, metadataOf }: ShortList<R>,
): Route {
  return route(endpoint, {
    rule,
    summary,
    answers: { 200: answer },
    query: listQuery(attributes),
    respond(context) {
      const request = parseScanRequest(context.query, attributes)
      const page = pageOf(context, request)
      const body = {
        [key]: page.rows.flatMap(row => viewOf(row, context) ?? []),
        links: pageLinksOf(context, request, page.rows),
        ...(metadataOf && { metadata: metadataOf(page) }),
      }
      return body
    },
  })
}

/** How many rows a list has, for `metadataOf`. */
export function totalCountOf({ totalCount }: Page<unknown>): object {
  return { total_count: totalCount }
}
