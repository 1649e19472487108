import { createHash } from 'node:crypto'
import { type TSchema, Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { anything } from '../openapi/fields.ts'
import { type PublicContext, type Route, route } from '../route.ts'
import { catalogAnswer, collectionAnswer, endpoint, service } from './answers.ts'
import { collectionView } from './collection.view.ts'
import { filtersOf } from './filters.ts'

/** A service in a token's catalog. */
type Service = { readonly type: string; readonly name: string; readonly path: string }

// Unversioned where clients discover versions themselves: gophercloud appends `v2/` to the dns endpoint.
const services: readonly Service[] = [
  { type: 'dns', name: 'designate', path: '/dns' },
  { type: 'rating', name: 'cloudkitty', path: '/rating' },
  { type: 'identity', name: 'keystone', path: '/identity/v3' },
]

const interfaces = ['public', 'internal', 'admin'] as const
const region = 'RegionOne'

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

/** The services that a token gives access to, with their addresses. */
export function catalogView(publicUrl: string) {
  return services.map(({ type, name, path }) => ({
    id: stableId(type),
    type,
    name,
    endpoints: endpointsOf(type, publicUrl + path),
  }))
}

/** The services of the catalog as a list of their own, for administrators. */
function serviceViews({ baseUrl }: Pick<PublicContext, 'baseUrl'>) {
  return services.map(({ type, name }) => ({
    id: stableId(type),
    type,
    name,
    description: '',
    enabled: true,
    links: { self: `${baseUrl}/v3/services/${stableId(type)}` },
  }))
}

/** The endpoints of the catalog as a list of their own, for administrators. */
function endpointViews({ baseUrl, publicUrl }: Pick<PublicContext, 'baseUrl' | 'publicUrl'>) {
  return services.flatMap(({ type, path }) =>
    endpointsOf(type, publicUrl + path).map(endpoint => ({
      ...endpoint,
      service_id: stableId(type),
      enabled: true,
      links: { self: `${baseUrl}/v3/endpoints/${endpoint.id}` },
    })),
  )
}

function endpointsOf(type: string, url: string) {
  return interfaces.map(side => ({
    id: stableId(`${type} ${side}`),
    interface: side,
    region,
    region_id: region,
    url,
  }))
}

/** An id that is the same on every start, since the catalog is not stored. */
function stableId(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
