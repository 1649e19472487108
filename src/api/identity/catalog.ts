import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { anything } from '../openapi/fields.ts'
import { type PrincipalContext, type Route, route } from '../route.ts'
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
    ...serviceRoutes(),
    ...endpointRoutes(),
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

function serviceRoutes(): readonly Route[] {
  return [
    route('GET /v3/services', {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists the services of the catalog',
      answers: { 200: collectionAnswer('services', service) },
      refusals: ['bad_request'],
      respond(context) {
        const { name, type } = filtersOf(context.query, ['name', 'type'])
        const services = serviceViews(context).filter(
          row => fits(row.name, name) && fits(row.type, type),
        )
        return collectionView(context, 'services', services)
      },
    }),
    route('GET /v3/services/:service_id', {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Shows a service of the catalog',
      answers: { 200: Type.Object({ service }) },
      refusals: ['not_found'],
      respond: context => ({ service: findById(serviceViews(context), context) }),
    }),
  ]
}

function endpointRoutes(): readonly Route[] {
  const filters = ['interface', 'service_id', 'region_id'] as const
  return [
    route('GET /v3/endpoints', {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Lists the endpoints of the catalog',
      answers: { 200: collectionAnswer('endpoints', endpoint) },
      refusals: ['bad_request'],
      respond(context) {
        const wanted = filtersOf(context.query, filters)
        const endpoints = endpointViews(context).filter(row =>
          filters.every(name => fits(row[name], wanted[name])),
        )
        return collectionView(context, 'endpoints', endpoints)
      },
    }),
    route('GET /v3/endpoints/:endpoint_id', {
      access: 'principal',
      rule: 'manage_identity',
      summary: 'Shows an endpoint of the catalog',
      answers: { 200: Type.Object({ endpoint }) },
      refusals: ['not_found'],
      respond: context => ({ endpoint: findById(endpointViews(context), context) }),
    }),
  ]
}

function fits(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || value === wanted
}

/** @throws ApiError not_found */
function findById<V extends { readonly id: string }>(
  views: readonly V[],
  { parameters }: PrincipalContext,
): V {
  const { service_id: serviceId, endpoint_id: id = serviceId } = parameters
  const found = views.find(view => view.id === id)
  if (found !== undefined) return found
  throw new ApiError('not_found', `Could not find ${id}`)
}
