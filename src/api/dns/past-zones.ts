import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import { recordsetsOf } from '../../model/recordset-run.ts'
import type { StoredZone } from '../../service/changes/stored-runs.ts'
import type { Held, Moment, PastZones } from '../../service/history/past-zones.ts'
import { inPieces } from '../../time-slice.ts'
import { requireAcceptable } from '../middleware/accept.ts'
import { component, listOf, text } from '../openapi/fields.ts'
import { requireKnownKeysOnce } from '../paging.ts'
import { type RequestContext, type Route, route } from '../route.ts'
import { formatTimestamp, formatTimestampOrNull, timesOf } from '../timestamps.ts'
import { recordsetAnswer, zoneAnswer } from './answers.ts'
import { parseMoment } from './history-query.ts'
import { zoneFileType } from './zone-exports.ts'

/** What only a zone or recordset of now has. */
const presentFields = ['status', 'action', 'status_reason', 'links'] as const
const pastRecordset = Type.Object(
  Type.Omit(recordsetAnswer, ['zone_id', 'zone_name', 'project_id', ...presentFields]).properties,
)
const pastZone = component('PastZone', {
  ...Type.Omit(zoneAnswer, ['shared', 'transferred_at', ...presentFields]).properties,
  masters: listOf(text('192.0.2.1')),
  recordsets: listOf(pastRecordset),
})
const moment = Type.String({
  description: 'a serial that the zone had, or a time',
  examples: ['1795262400'],
})
const refusals = [
  'zone_not_found',
  'not_found',
  'bad_request',
  'conflict',
  'too_many_requests',
] as const

/** Zones as they were, and what has changed since. */
export function pastZoneRoutes(pastZones: PastZones): readonly Route[] {
  const produces = ['application/json', zoneFileType]
  return [
    route('GET /zones/:zone_id/history/zone', {
      rule: 'get_zone',
      summary: 'Shows a zone with its recordsets as it was, or sends its zone file of then',
      answers: { 200: pastZone },
      refusals,
      query: { at: moment },
      produces,
      async handler(context) {
        const { caller, query, header } = context
        requireKnownKeysOnce(query, ['at'])
        const at = requireMoment(query, 'at')
        const zoneId = context.id('zone_id')
        const isText = requireAcceptable(header('accept'), produces) === zoneFileType
        const held = isText
          ? await pastZones.text(caller, zoneId, at)
          : asJson(await pastZones.at(caller, zoneId, at))
        const headers = { 'content-type': isText ? zoneFileType : 'application/json' }
        return { status: 200, headers, stream: streamOf(held) }
      },
    }),
    route('GET /zones/:zone_id/history/difference', {
      rule: 'get_zone',
      summary: 'Sends what has changed between two moments as lines of zone files',
      answers: { 200: text('+www.example.com.  IN A 192.0.2.1\n') },
      refusals,
      query: { from: moment, to: moment },
      produces: 'text/plain',
      handler: context => differenceReply(pastZones, context),
    }),
  ]
}

async function differenceReply(pastZones: PastZones, context: RequestContext) {
  const { caller, query } = context
  requireKnownKeysOnce(query, ['from', 'to'])
  const moments = { from: requireMoment(query, 'from'), to: parseMoment(query, 'to') }
  const held = await pastZones.difference(caller, context.id('zone_id'), moments)
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return { status: 200, headers, stream: streamOf(held) }
}

/** Releases it when the response is over. */
function streamOf({ value, release }: Held<AsyncIterable<string>>) {
  return (signal: AbortSignal) => {
    if (signal.aborted) release()
    else signal.addEventListener('abort', release, { once: true })
    return value
  }
}

function asJson({ value, release }: Held<StoredZone>): Held<AsyncIterable<string>> {
  return { value: inPieces(jsonOf(value)), release }
}

/** @throws ApiError bad_request */
function requireMoment(query: URLSearchParams, name: string): Moment {
  const moment = parseMoment(query, name)
  if (moment !== undefined) return moment
  throw new ApiError('bad_request', `${name} must be a serial or a time`)
}

function* jsonOf({ zone, runs }: StoredZone): Generator<string> {
  const head = JSON.stringify({
    id: zone.id,
    name: zone.name,
    type: zone.type,
    pool_id: zone.poolId,
    project_id: zone.projectId,
    email: zone.email,
    description: zone.description,
    ttl: zone.ttlSeconds,
    serial: zone.serial,
    masters: zone.masters,
    attributes: zone.attributes,
    version: zone.version,
    ...timesOf(zone),
  })
  yield `${head.slice(0, -1)},"recordsets":[`
  let separator = ''
  for (const run of runs) {
    for (const record of recordsetsOf(run)) {
      const row = recordsetUnpacker.unpack(record)
      const { id, name, type, ttlSeconds: ttl, description, records, version } = row
      const created_at = formatTimestamp(row.createdAt)
      const updated_at = formatTimestampOrNull(row.updatedAt)
      const view = { id, name, type, ttl, description, records, version, created_at, updated_at }
      yield separator + JSON.stringify(view)
      separator = ','
    }
  }
  yield ']}'
}
