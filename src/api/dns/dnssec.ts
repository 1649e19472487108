import { Type } from 'typebox'
import type { Dnssec, DnssecState } from '../../service/dnssec.ts'
import { isFlagSet } from '../flag.ts'
import { uuidParameter } from '../parameters.ts'
import { type Route, routeWithBody } from '../route.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'
import { dnssecAnswer } from './answers.ts'

/** Body of `PUT /zones/<id>/dnssec`. */
const dnssecSchema = Type.Object(
  { policy_id: Type.Optional(Type.Enum(['default'])) },
  { title: 'dnssec', examples: [{ policy_id: 'default' }], additionalProperties: false },
)

/** How zones are signed. */
export function dnssecRoutes({ dnssec }: { readonly dnssec: Dnssec }): readonly Route[] {
  const path = '/zones/:zone_id/dnssec'
  return [
    {
      method: 'GET',
      path,
      rule: 'get_zone',
      summary: 'Shows how a zone is signed',
      answers: { 200: dnssecAnswer },
      refusals: ['zone_not_found'],
      async handler(context) {
        const state = dnssec.get(context.caller, uuidParameter(context, 'zone_id'))
        return { status: 200, body: viewOf(state) }
      },
    },
    routeWithBody({
      method: 'PUT',
      path,
      rule: 'update_zone',
      summary: 'Has a zone signed',
      answers: { 202: dnssecAnswer },
      refusals: ['zone_not_found', 'forbidden', 'bad_request'],
      bodySchema: dnssecSchema,
      async handler(context) {
        const state = await dnssec.enable(context.caller, uuidParameter(context, 'zone_id'))
        return { status: 202, body: viewOf(state) }
      },
    }),
    {
      method: 'DELETE',
      path,
      rule: 'update_zone',
      summary: 'Takes the signatures of a zone away',
      answers: { 204: null },
      refusals: ['zone_not_found', 'forbidden', 'bad_request'],
      async handler(context) {
        const force = isFlagSet(context.query.get('force'))
        await dnssec.disable(context.caller, uuidParameter(context, 'zone_id'), force)
        return { status: 204 }
      },
    },
  ]
}

function viewOf({ zone, status, keys, dsFrom }: DnssecState): object {
  const isSigned = status === 'SIGNED'
  return {
    status,
    denial: zone.dnssec === undefined ? null : 'NSEC',
    policy_id: zone.dnssec?.policy ?? null,
    serial: zone.serial,
    ds: isSigned ? keys.map(({ ds }) => ds) : [],
    ds_from: formatTimestampOrNull(dsFrom),
    keys: keys.map(({ row, dnskey }) => ({
      id: row.id,
      tag: row.tag,
      algorithm: row.algorithm,
      role: 'CSK',
      dnskey,
      created_at: formatTimestamp(row.createdAt),
    })),
    waits_for: waitsFor(status),
  }
}

/** What has to happen next, for people. */
function waitsFor(status: DnssecState['status']): string | null {
  if (status === 'SIGNING') return 'the signatures of the zone are being made'
  if (status !== 'SIGNED') return null
  return 'the DS at the parent of the zone, not before ds_from'
}
