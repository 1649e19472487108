import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { FloatingIp } from '../../model/floating-ip.ts'
import type { Action } from '../../model/zone.ts'
import type { FloatingIpKey, FloatingIps, NamedAddress } from '../../service/pools/floating-ips.ts'
import { orNull, requestBody } from '../openapi/fields.ts'
import { parseUuid } from '../parameters.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { floatingIpAnswer, floatingIpsAnswer } from './answers.ts'
import { descriptionField, projectIdField, ttlField } from './field-schemas.ts'
import { shownState } from './shown-state.ts'
import type { ViewContext } from './zones.view.ts'

/** Body of `POST /reverse/floatingips`: our own request, in place of a network service that knows the addresses. The region has
 *  no colon, which would end it in the URL of the address. */
const floatingIpCreateSchema = requestBody(
  'floatingip',
  {
    region: Type.String({ pattern: '^[A-Za-z0-9._-]{1,64}$' }),
    address: Type.String(),
    project_id: projectIdField,
  },
  { region: 'North', address: '192.0.2.1', project_id: '4d74fe0d117340a498e2b00f62f7a520' },
)

/** Body of `PATCH /reverse/floatingips/<key>`; a name of null takes the name away. */
const floatingIpPatchSchema = requestBody(
  'floatingip',
  {
    ptrdname: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    description: Type.Optional(descriptionField),
    ttl: Type.Optional(ttlField),
  },
  { ptrdname: 'mail.example.com.' },
)

const itemPath = '/reverse/floatingips/:floatingip_key'

/** Names of addresses that are lent to projects. */
export function floatingIpRoutes(floatingIps: FloatingIps): readonly Route[] {
  return [
    route('GET /reverse/floatingips', {
      rule: 'find_floatingips',
      summary: 'Lists the addresses of a project with their names',
      answers: { 200: floatingIpsAnswer },
      respond(context) {
        const rows = floatingIps.list(context.caller)
        const links = { self: context.baseUrl + context.path }
        return { floatingips: rows.map(row => floatingIpView(row, context)), links }
      },
    }),
    route(`GET ${itemPath}`, {
      rule: 'find_floatingips',
      summary: 'Shows an address with its name',
      answers: { 200: floatingIpAnswer },
      refusals: ['bad_request', 'not_found'],
      respond(context) {
        const named = floatingIps.get(context.caller, keyParameter(context))
        return floatingIpView(named, context)
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
      async respond(context) {
        const { region, address, project_id: projectId } = context.body
        const named = await floatingIps.register({ region, address, projectId })
        return floatingIpView(named, context)
      },
    }),
    route(`DELETE ${itemPath}`, {
      rule: 'manage_floatingips',
      summary: 'Takes an address back, and its name with it',
      answers: { 204: null },
      refusals: ['bad_request', 'not_found'],
      respond: context => floatingIps.release(keyParameter(context)),
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

/** An address as the API shows it; `change` is what the request did to its name. */
function floatingIpView(
  { floatingIp, ptr, state }: NamedAddress,
  context: ViewContext,
  change: Action = 'NONE',
): object {
  const shown = state && shownState(state, context.dialect, change)
  return {
    id: keyOf(floatingIp),
    project_id: floatingIp.projectId,
    address: floatingIp.address,
    ptrdname: ptr?.records[0] ?? null,
    description: ptr?.description ?? null,
    ttl: ptr?.ttlSeconds ?? null,
    status: shown?.status ?? null,
    action: shown?.action ?? null,
    links: { self: `${context.baseUrl}/reverse/floatingips/${keyOf(floatingIp)}` },
  }
}

function keyOf({ region, id }: FloatingIp): string {
  return `${region}:${id}`
}
