import { type CallerRoute, type Method, type RequestContext, type Route, route } from '../route.ts'

/** Declares a route whose answer has no content, but the media type of a page. It accepts clients that take only the type of
 *  the other answers, and clients that take the type of this one. */
export function emptiedRoute(
  endpoint: `${Method} ${string}`,
  {
    run,
    ...declaration
  }: Pick<CallerRoute, 'rule' | 'summary' | 'refusals'> & { run(context: RequestContext): unknown },
): Route {
  return route(endpoint, {
    ...declaration,
    answers: { 200: null },
    produces: ['application/json', 'text/html'],
    async handler(context) {
      await run(context)
      return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } }
    },
  })
}
