import { ApiError } from '../../errors.ts'
import type { FloatingIpKey, FloatingIps } from '../../service/pools/floating-ips.ts'
import { orNull } from '../openapi/fields.ts'
import { parseUuid } from '../parameters.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { floatingIpAnswer, floatingIpsAnswer } from './answers.ts'
import {
  floatingIpCreateSchema,
  floatingIpDraftFromBody,
  floatingIpPatchSchema,
} from './floating-ips.schema.ts'
import { floatingIpUrl, floatingIpView } from './floating-ips.view.ts'

const itemPath = '/reverse/floatingips/:floatingip_key'

/** Names of addresses that are lent to projects. */
export function floatingIpRoutes(floatingIps: FloatingIps): readonly Route[] {
  return [
    route('GET /reverse/floatingips', {
      rule: 'find_floatingips',
      summary: 'Lists the addresses of a project with their names',
      answers: { 200: floatingIpsAnswer },
      async handler(context) {
        const rows = floatingIps.list(context.caller)
        const links = { self: context.baseUrl + context.path }
        const body = { floatingips: rows.map(row => floatingIpView(row, context)), links }
        return { status: 200, body }
      },
    }),
    route(`GET ${itemPath}`, {
      rule: 'find_floatingips',
      summary: 'Shows an address with its name',
      answers: { 200: floatingIpAnswer },
      refusals: ['bad_request', 'not_found'],
      async handler(context) {
        const named = floatingIps.get(context.caller, keyParameter(context))
        return { status: 200, body: floatingIpView(named, context) }
      },
    }),
    patchRoute(floatingIps),
    ...registryRoutes(floatingIps),
  ]
}

function patchRoute(floatingIps: FloatingIps): Route {
  return route(`PATCH ${itemPath}`, {
    rule: 'update_floatingip',
    summary: 'Gives an address a name, or takes it away',
    answers: { 202: orNull(floatingIpAnswer) },
    refusals: ['bad_request', 'not_found', 'duplicate_zone', 'illegal_child'],
    bodySchema: floatingIpPatchSchema,
    async handler(context) {
      const { ptrdname: name, description, ttl: ttlSeconds } = context.body
      const { caller } = context
      const key = keyParameter(context)
      if (name === null) {
        await floatingIps.unsetPtr(caller, key)
        return { status: 202, body: null }
      }
      const named = await floatingIps.setPtr(caller, key, { name, description, ttlSeconds })
      const change = named.ptr?.updatedAt === null ? 'CREATE' : 'UPDATE'
      return { status: 202, body: floatingIpView(named, context, change) }
    },
  })
}

/** Whose an address is. */
function registryRoutes(floatingIps: FloatingIps): readonly Route[] {
  return [
    route('POST /reverse/floatingips', {
      rule: 'manage_floatingips',
      summary: 'Lends an address to a project',
      answers: { 201: floatingIpAnswer },
      refusals: ['duplicate_floatingip'],
      bodySchema: floatingIpCreateSchema,
      async handler(context) {
        const named = await floatingIps.register(floatingIpDraftFromBody(context.body))
        const headers = { location: floatingIpUrl(context, named.floatingIp) }
        return { status: 201, headers, body: floatingIpView(named, context) }
      },
    }),
    route(`DELETE ${itemPath}`, {
      rule: 'manage_floatingips',
      summary: 'Takes an address back, and its name with it',
      answers: { 204: null },
      refusals: ['bad_request', 'not_found'],
      async handler(context) {
        await floatingIps.release(keyParameter(context))
        return { status: 204 }
      },
    }),
  ]
}

/** @throws ApiError bad_request */
function keyParameter({ parameters }: Pick<RequestContext, 'parameters'>): FloatingIpKey {
  const text = parameters.floatingip_key ?? ''
  const [region = '', uuid = '', ...rest] = text.split(':')
  const id = parseUuid(uuid)
  if (region !== '' && id !== undefined && rest.length === 0) return { region, id }
  throw new ApiError('bad_request', `A floating IP is named by region:uuid, not by '${text}'`)
}
