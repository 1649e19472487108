import { Type } from 'typebox'
import { maxTtlSeconds } from '../../model/limits.ts'
import type { Zone } from '../../model/zone.ts'
import type { Zones } from '../../service/zones/zones.ts'
import { descriptionField, emailField } from '../dns/field-schemas.ts'
import { changeBody } from '../dns/read-only-fields.ts'
import { listReply } from '../list-reply.ts'
import { partly, requestBody } from '../openapi/fields.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { timesOf } from '../timestamps.ts'
import { zoneCreationRefusals } from '../zone-refusals.ts'
import { domainAnswer, domainServersAnswer, domainsAnswer } from './answers.ts'
import { emptiedRoute } from './emptied.ts'
import { groupUrl, type LinkContext } from './group-url.ts'
import { idParameter } from './id-parameter.ts'
import { limited, parseRange } from './list-range.ts'
import { serverView } from './servers.ts'

/** A domain's TTL is at least a second. Null means the default one, as leaving it out does. */
const domainTtlField = Type.Unsafe<number | null>({
  type: ['integer', 'null'],
  minimum: 1,
  maximum: maxTtlSeconds,
})

const written = { email: emailField, ttl: domainTtlField, description: descriptionField }

/** Body of `POST /domains`. */
export const domainCreateSchema = requestBody(
  'domain',
  { name: Type.String(), ...partly(written) },
  { name: 'example.com.', email: 'ops@example.com' },
)

/** Body of `PUT /domains/<id>`: what is left out stays. The name may be sent unchanged; what else is shown is ignored, since it
 *  may have changed meanwhile. */
const domainPutSchema = changeBody('domain', {
  fields: { ...written, name: Type.String() },
  shown: domainAnswer,
  example: { ttl: 300 },
}).schema

/** Domains: the PRIMARY zones that are not being deleted. */
export function domainRoutes(zones: Zones): readonly Route[] {
  return [
    route('GET /domains', {
      rule: 'find_zones',
      summary: 'Lists domains',
      answers: { 200: domainsAnswer },
      refusals: ['marker_not_found'],
      async handler(context) {
        const { limit, marker } = parseRange(context)
        const pages = zones.primaryPages(context.caller, marker)
        return listReply('domains', limited(pages, limit), domainView)
      },
    }),
    route('POST /domains', {
      rule: 'create_zone',
      summary: 'Creates a domain',
      answers: { 200: domainAnswer },
      refusals: zoneCreationRefusals,
      bodySchema: domainCreateSchema,
      async handler(context) {
        const { name, email = null, ttl: ttlSeconds = null, description = null } = context.body
        const given = { name, email, ttlSeconds, description }
        const draft = { ...given, type: 'PRIMARY', masters: [], attributes: {} } as const
        const zone = await zones.create(context.caller, draft)
        const headers = { location: domainUrl(context, zone.id) }
        return { status: 200, headers, body: domainView(zone) }
      },
    }),
    route('GET /domains/:domain_id', {
      rule: 'get_zone',
      summary: 'Shows a domain',
      answers: { 200: domainAnswer },
      refusals: ['zone_not_found'],
      respond: context => domainView(requestedZone(zones, context)),
    }),
    route('PUT /domains/:domain_id', {
      rule: 'update_zone',
      summary: 'Changes a domain',
      answers: { 200: domainAnswer },
      refusals: ['zone_not_found', 'bad_request', 'invalid_ttl'],
      bodySchema: domainPutSchema,
      async respond(context) {
        const { id } = requestedZone(zones, context)
        const { name, email, description, ttl: ttlSeconds } = context.body
        const patch = { name, email, description, ttlSeconds }
        return domainView(await zones.update(context.caller, id, patch))
      },
    }),
    emptiedRoute('DELETE /domains/:domain_id', {
      rule: 'delete_zone',
      summary: 'Deletes a domain',
      refusals: ['zone_not_found', 'zone_has_sub_zone', 'zone_is_shared'],
      run: context => zones.delete(context.caller, requestedZone(zones, context).id),
    }),
    route('GET /domains/:domain_id/servers', {
      rule: 'get_zone_ns_records',
      summary: 'Lists the name servers of a domain',
      answers: { 200: domainServersAnswer },
      refusals: ['zone_not_found'],
      respond(context) {
        const servers = zones.nameservers(context.caller, requestedZone(zones, context).id)
        return { servers: servers.map(serverView) }
      },
    }),
  ]
}

function requestedZone(zones: Zones, context: RequestContext) {
  return zones.getPrimary(context.caller, idParameter(context, 'domain_id'))
}

/** A zone as the older group shows it. */
function domainView(zone: Zone): object {
  return {
    id: zone.id,
    name: zone.name,
    email: zone.email,
    ttl: zone.ttlSeconds,
    serial: zone.serial,
    description: zone.description,
    ...timesOf(zone),
  }
}

/** The address of a domain, also for requests without the prefix. */
export function domainUrl(context: LinkContext, id: string): string {
  return `${groupUrl(context)}/domains/${id}`
}
