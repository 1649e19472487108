import { type Static, Type } from 'typebox'
import { required, requireValid } from '../../model/field-rules.ts'
import type { Zone } from '../../model/zone.ts'
import type { ZoneDraft, ZonePatch } from '../../model/zone-draft.ts'
import type { Dnssec } from '../../service/dnssec/dnssec.ts'
import { requireVersion } from '../../service/rules/row-versions.ts'
import type { Zones } from '../../service/zones/zones.ts'
import type { Dialect } from '../dialect.ts'
import { requestBody } from '../openapi/fields.ts'
import { newPageTurns, pageLinksOf } from '../paging.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import { zoneCreationRefusals } from '../zone-refusals.ts'
import { nameserversAnswer, zoneAnswer, zonesAnswer } from './answers.ts'
import { expectedVersions, taggedReply } from './entity-tags.ts'
import {
  attributesField,
  attributesPatchField,
  descriptionField,
  emailField,
  mastersField,
  ttlField,
  uuidField,
  zoneTypeField,
} from './field-schemas.ts'
import { pageReply } from './page-reply.ts'
import { type ListAttributes, listQuery, parsePageRequest } from './page-request.ts'
import { changeBody, requireAsShown } from './read-only-fields.ts'
import { nameserversView, zoneUrl, zoneView } from './zones.view.ts'

/** Body of `POST /zones`. An attribute selects the pool; `pool_id` is ignored, as in Designate. */
const zoneCreateSchema = requestBody(
  'zone',
  {
    name: Type.String(),
    type: Type.Optional(zoneTypeField),
    email: Type.Optional(emailField),
    ttl: Type.Optional(ttlField),
    description: Type.Optional(descriptionField),
    masters: Type.Optional(mastersField),
    attributes: Type.Optional(attributesField),
    pool_id: Type.Optional(Type.Union([uuidField, Type.Null()])),
  },
  { name: 'example.com.', email: 'ops@example.com' },
)

/** Body of `PATCH /zones/<id>`. What is set once may be sent, but only unchanged. */
const zoneChange = changeBody('zone', {
  fields: {
    email: emailField,
    ttl: ttlField,
    description: descriptionField,
    masters: mastersField,
    name: Type.String(),
    type: zoneTypeField,
    attributes: attributesPatchField,
  },
  shown: zoneAnswer,
  example: { ttl: 300 },
})

type ZoneListServices = {
  readonly zones: Zones
  readonly dnssec: Pick<Dnssec, 'statusOf'>
}

/** Zones. */
export function zoneRoutes(services: ZoneListServices): readonly Route[] {
  const { zones } = services
  const turns = newPageTurns()
  return [
    route('GET /zones', {
      rule: 'find_zones',
      summary: 'Lists zones',
      answers: { 200: zonesAnswer },
      query: listQuery(zoneAttributes(services)),
      handler: context => turns.run(context.caller.projectId, () => listZones(services, context)),
    }),
    createRoute(zones),
    route('GET /zones/:zone_id', {
      rule: 'get_zone',
      summary: 'Shows a zone',
      answers: { 200: zoneAnswer, 304: null },
      refusals: ['zone_not_found'],
      async handler(context) {
        const zone = zones.get(context.caller, context.id('zone_id'))
        return taggedReply(context, zone, { status: 200, body: zoneView(zones, zone, context) })
      },
    }),
    updateRoute(zones),
    deleteRoute(zones),
    route('GET /zones/:zone_id/nameservers', {
      rule: 'get_zone_ns_records',
      summary: 'Lists the name servers of a zone',
      answers: { 200: nameserversAnswer },
      refusals: ['zone_not_found'],
      respond: ({ caller, id }) => nameserversView(zones.nameservers(caller, id('zone_id'))),
    }),
  ]
}

function createRoute(zones: Zones): Route {
  return route('POST /zones', {
    rule: 'create_zone',
    summary: 'Creates a zone',
    answers: ({ zoneCreated }) => ({ [zoneCreated]: zoneAnswer }),
    refusals: zoneCreationRefusals,
    bodySchema: zoneCreateSchema,
    async handler(context) {
      const draft = zoneDraftFromBody(context.body)
      requireMasters(context.dialect, draft)
      const zone = await zones.create(context.caller, draft)
      return taggedReply(context, zone, {
        status: context.dialect.zoneCreated,
        headers: { location: zoneUrl(context, zone.id) },
        body: zoneView(zones, zone, context, 'CREATE'),
      })
    },
  })
}

function updateRoute(zones: Zones): Route {
  return route('PATCH /zones/:zone_id', {
    rule: 'update_zone',
    summary: 'Changes a zone',
    answers: ({ zoneUpdated }) => ({ [zoneUpdated]: zoneAnswer }),
    refusals: ['zone_not_found', 'precondition_failed', 'bad_request', 'invalid_ttl'],
    isConditional: true,
    bodySchema: zoneChange.schema,
    async handler(context) {
      const { caller, body: sent } = context
      const id = context.id('zone_id')
      const before = zones.get(caller, id)
      const expected = expectedVersions(context)
      // Checked before the body: a stale copy, sent back as a whole, also has outdated read-only fields.
      requireVersion(before, expected)
      const shown = zoneView(zones, before, context)
      requireAsShown('zone', zoneChange.readOnly, { body: sent, shown })
      const patch = zonePatchFromBody(sent)
      requireMasters(context.dialect, { type: before.type, masters: patch.masters })
      const zone = await zones.update(caller, id, patch, expected)
      const body = zoneView(zones, zone, context, 'UPDATE')
      return taggedReply(context, zone, { status: context.dialect.zoneUpdated, body })
    },
  })
}

/** @throws ApiError invalid_object */
function requireMasters(
  { needsMasters }: Dialect,
  { type, masters }: Pick<ZonePatch, 'type' | 'masters'>,
): void {
  const isMissing = needsMasters && type === 'SECONDARY' && masters?.length === 0
  requireValid('zone', [isMissing ? required('masters') : undefined])
}

function deleteRoute(zones: Zones): Route {
  return route('DELETE /zones/:zone_id', {
    rule: 'delete_zone',
    summary: 'Deletes a zone',
    answers: ({ showsDeleted }) => ({ 202: showsDeleted ? zoneAnswer : null }),
    refusals: ['zone_not_found', 'precondition_failed', 'zone_has_sub_zone', 'zone_is_shared'],
    isConditional: true,
    async handler(context) {
      const id = context.id('zone_id')
      const zone = await zones.delete(context.caller, id, expectedVersions(context))
      if (!context.dialect.showsDeleted) return { status: 202 }
      return { status: 202, body: zoneView(zones, zone, context, 'DELETE') }
    },
  })
}

async function listZones(services: ZoneListServices, context: RequestContext): Promise<Reply> {
  const { zones } = services
  const request = parsePageRequest(context.query, zoneAttributes(services))
  const page = await zones.list(context.caller, request)
  return pageReply(
    'zones',
    { rows: page.rows, viewOf: zone => zoneView(zones, zone, context) },
    {
      links: pageLinksOf(context, page),
      metadata: { total_count: page.totalCount },
    },
  )
}

/** What zones can be sorted and filtered by. */
function zoneAttributes({ zones, dnssec }: ZoneListServices): ListAttributes<Zone> {
  const statusOf = (zone: Zone): string => zones.statusOf(zone)
  return {
    sortValues: {
      id: zone => zone.id,
      updated_at: zone => zone.updatedAt,
      name: zone => zone.name.toLowerCase(),
      tenant_id: zone => zone.projectId,
      serial: zone => zone.serial,
      ttl: zone => zone.ttlSeconds,
      status: statusOf,
    },
    filterValues: {
      name: zone => [zone.name],
      type: zone => [zone.type],
      email: zone => [zone.email],
      status: zone => [statusOf(zone)],
      dnssec_status: zone => [dnssec.statusOf(zone)],
      description: zone => [zone.description],
      ttl: zone => [zone.ttlSeconds],
      // A zone has many; each fits as `name:value`.
      attributes: zone =>
        Object.entries(zone.attributes).map(([name, value]) => `${name}:${value}`),
    },
  }
}

function zoneDraftFromBody(body: Static<typeof zoneCreateSchema>): ZoneDraft {
  return {
    name: body.name,
    type: body.type ?? 'PRIMARY',
    email: body.email ?? null,
    ttlSeconds: body.ttl ?? null,
    description: body.description ?? null,
    masters: body.masters ?? [],
    attributes: body.attributes ?? {},
  }
}

function zonePatchFromBody(body: Static<typeof zoneChange.schema>): ZonePatch {
  const { ttl: ttlSeconds, masters, email, description, name, type, attributes } = body
  const fields = { email, description, name, type, attributes }
  return { ...fields, ttlSeconds, masters: masters === null ? [] : masters }
}
