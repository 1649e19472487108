import { type TSchema, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { anything } from '../openapi/fields.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { catalogAnswer, collectionAnswer, endpoint, service } from './answers.ts'
import { catalogView, endpointViews, serviceViews } from './catalog.view.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf } from './filters.ts'

/** The catalog: the services that a token gives access to, for its bearer, and for administrators its single parts. It is fixed,
 *  so it can only be read. */
export function catalogRoutes(): readonly Route[] {
  return [
    route('GET /v3/auth/catalog', {
      access: 'principal',
      summary: 'Shows the catalog of a project’s token',
      answers: { 200: catalogAnswer },
      refusals: ['forbidden'],
      respond(context) {
        if (context.principal.scope === undefined)
          throw new ApiError('forbidden', 'Without a project there is no catalog')
        const catalog = catalogView(context.publicUrl)
        return collectionView(context, 'catalog', catalog)
      },
    }),
    ...partRoutes({
      one: 'service',
      called: 'a service',
      answer: service,
      filters: ['name', 'type'],
      views: serviceViews,
    }),
    ...partRoutes({
      one: 'endpoint',
      called: 'an endpoint',
      answer: endpoint,
      filters: ['interface', 'service_id', 'region_id'],
      views: endpointViews,
    }),
    route('GET /v3/groups', {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists groups, of which there are none',
      answers: { 200: collectionAnswer('groups', anything({})) },
      refusals: ['bad_request'],
      respond(context) {
        filtersOf(context.query, ['name', 'domain_id'])
        return collectionView(context, 'groups', [])
      },
    }),
  ]
}

/** Parts of the catalog, of one kind. */
type Parts<F extends string> = {
  readonly one: 'service' | 'endpoint'
  /** With its article. */
  readonly called: string
  readonly answer: TSchema
  /** The fields that lists are filtered by. */
  readonly filters: readonly F[]
  views(context: PublicContext): readonly (Readonly<Record<F, string>> & { readonly id: string })[]
}

/** The routes that list such parts and show one. */
function partRoutes<F extends string>(parts: Parts<F>): readonly Route[] {
  const { one, called, answer, filters, views } = parts
  const many = `${one}s`
  return [
    route(`GET /v3/${many}`, {
      access: 'principal',
      rule: 'manage_identity',
      summary: `Lists the ${many} of the catalog`,
      answers: { 200: collectionAnswer(many, answer) },
      refusals: ['bad_request'],
      respond(context) {
        const wanted = filtersOf(context.query, filters)
        const found = views(context).filter(view =>
          filters.every(name => (wanted[name] ?? view[name]) === view[name]),
        )
        return collectionView(context, many, found)
      },
    }),
    route(`GET /v3/${many}/:${one}_id`, {
      access: 'principal',
      rule: 'manage_identity',
      summary: `Shows ${called} of the catalog`,
      answers: { 200: Type.Object({ [one]: answer }) },
      refusals: ['not_found'],
      respond(context) {
        const id = context.parameters[`${one}_id`]
        const found = views(context).find(view => view.id === id)
        if (found === undefined) throw new ApiError('not_found', `Could not find ${id}`)
        return { [one]: found }
      },
    }),
  ]
}
