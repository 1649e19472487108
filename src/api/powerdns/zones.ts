import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import type { ChangeSet, Deletion, Replacement } from '../../model/change-set.ts'
import type { DnssecKey } from '../../model/dnssec-key.ts'
import { recordKeyOf } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import { withFinalDot } from '../../model/zone-name.ts'
import type { RecordsetFinder } from '../../service/changes/change-sets.ts'
import type { DnssecState } from '../../service/dnssec/dnssec.ts'
import { listReply } from '../list-reply.ts'
import { text } from '../openapi/fields.ts'
import { type Reply, type RequestContext, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { changeSetRefusals, zoneCreationRefusals } from '../zone-refusals.ts'
import { cryptoKeysAnswer, resultAnswer, zoneAnswer, zonesAnswer } from './answers.ts'
import { metadataRoutes } from './metadata.ts'
import {
  type Changed,
  isAsKept,
  isKept,
  keptForm,
  mastersIn,
  type RrsetBody,
  recordsetDraftFromBody,
  zoneCreateSchema,
  zoneDraftFromBody,
  zonePatchSchema,
  zonePutSchema,
  zoneTypeOf,
} from './zones.schema.ts'
import { serverPath, ttlOf, zoneIn, zoneView, zoneWithRrsets } from './zones.view.ts'

const zonesPath = `${serverPath}/zones`
const zonePath = `${zonesPath}/:zone_id`

/** Zones and their RRsets. */
export function zoneRoutes(services: Services): readonly Route[] {
  const { zones } = services
  return [
    route(`GET ${zonesPath}`, {
      rule: 'find_zones',
      summary: 'Lists zones',
      answers: { 200: zonesAnswer },
      async handler({ caller, query }) {
        const name = query.get('zone') ?? undefined
        const pages = zones.pages(caller, { name: name && withFinalDot(name) })
        return listReply(undefined, pages, zoneView)
      },
    }),
    createRoute(services),
    route(`GET ${zonePath}`, {
      rule: 'get_zone',
      summary: 'Shows a zone',
      answers: { 200: zoneAnswer },
      refusals: ['zone_not_found'],
      handler: async context => shown(services, context, { zone: zoneIn(services, context) }),
    }),
    patchRoute(services),
    putRoute(services),
    route(`DELETE ${zonePath}`, {
      rule: 'delete_zone',
      summary: 'Deletes a zone',
      answers: { 204: null },
      refusals: ['zone_not_found', 'precondition_failed', 'zone_has_sub_zone', 'zone_is_shared'],
      respond: context => zones.delete(context.caller, zoneIn(services, context).id),
    }),
    ...taskRoutes(services),
    ...metadataRoutes(services),
  ]
}

function createRoute(services: Services): Route {
  return route(`POST ${zonesPath}`, {
    rule: 'create_zone',
    summary: 'Creates a zone',
    answers: { 201: zoneAnswer },
    refusals: [...zoneCreationRefusals, ...changeSetRefusals],
    bodySchema: zoneCreateSchema,
    async handler(context) {
      const { body, caller } = context
      if (body.zone !== undefined)
        throw new ApiError('bad_request', 'Zone files are imported at /v2/zones/tasks/imports')
      const draft = zoneDraftFromBody(body)
      const own = (body.rrsets ?? []).map(keptForm).filter(rrset => !isKept(rrset, draft.name))
      const recordsets = own.map(recordsetDraftFromBody)
      const created = await services.zones.create(caller, draft, recordsets)
      const zone = await signedAsAsked(services, context, created).catch(async error => {
        await services.zones.delete(caller, created.id)
        throw error
      })
      return shown(services, context, { zone, status: 201 })
    },
  })
}

function patchRoute(services: Services): Route {
  return route(`PATCH ${zonePath}`, {
    rule: 'update_recordset',
    summary: 'Replaces and deletes RRsets, all or none',
    answers: { 204: null },
    refusals: changeSetRefusals,
    bodySchema: zonePatchSchema,
    respond(context) {
      const { id } = zoneIn(services, context)
      const { rrsets } = context.body
      return services.changeSets.applyMade(context.caller, id, (zone, find) =>
        changeSetOf(zone, find, rrsets),
      )
    },
  })
}

const changeTypes = ['REPLACE', 'DELETE', 'EXTEND', 'PRUNE']

/** What the lines of a request about one RRset have made of it so far. */
type Line = {
  readonly found: Recordset | undefined
  readonly changed: Changed
  readonly kinds: ReadonlySet<string>
}

/** An RRset after the next line about it: EXTEND adds missing records, PRUNE removes present ones. */
function changedBy(rrset: RrsetBody, kind: string, before: Changed): Changed {
  const { records: present = [] } = before
  const { name, type, records: sent = [] } = rrset
  // With its records its comments go.
  if (kind === 'DELETE') return { name, type, records: [], comments: [] }
  const given = { ...before, ...rrset }
  if (kind === 'REPLACE') return { ...given, ttl: rrset.ttl, records: sent }
  type Records = NonNullable<RrsetBody['records']>
  const without = (all: Records, others: Records) => {
    const keys = new Set(others.map(({ content }) => recordKeyOf(type, content)))
    return all.filter(({ content }) => !keys.has(recordKeyOf(type, content)))
  }
  if (kind === 'PRUNE') return { ...given, records: without(present, sent) }
  return { ...given, records: [...present, ...without(sent, present)] }
}

/** The change set that clients request of a zone as it is. Deleting an RRset that does not exist succeeds. Lines about one
 *  RRset follow each other, each kind once: clients delete what they then write anew.
 *  @throws ApiError bad_request */
function changeSetOf(
  zone: Zone,
  find: RecordsetFinder,
  rrsets: readonly (RrsetBody & { readonly changetype: string })[],
): ChangeSet {
  const lines = new Map<string, Line>()
  for (const sent of rrsets) {
    const rrset = keptForm(sent)
    const { name, type } = rrset
    const kind = sent.changetype.toUpperCase()
    if (!changeTypes.includes(kind))
      throw new ApiError('bad_request', `${name} ${type}: unknown changetype ${sent.changetype}`)
    const key = `${name.toLowerCase()} ${type}`
    const { found, changed, kinds } = lines.get(key) ?? firstLine(zone, find, rrset)
    if (kinds.has(kind))
      throw new ApiError('bad_request', `${name} ${type}: ${kind} is there twice`)
    lines.set(key, {
      found,
      changed: changedBy(rrset, kind, changed),
      kinds: new Set([...kinds, kind]),
    })
  }
  const replacements: Replacement[] = []
  const deletions: Deletion[] = []
  for (const { found, changed } of lines.values()) {
    const { name, type } = changed
    const draft = recordsetDraftFromBody(changed)
    if (draft.records.length === 0) {
      if (found !== undefined) deletions.push({ key: { id: found.id } })
    } else if (!(isKept(changed, zone.name) && isAsKept(draft, found))) {
      replacements.push({ key: { name, type }, patch: patchOf(changed, draft) })
    }
  }
  return { create: [], replace: replacements, delete: deletions }
}

/** An RRset as it is before the first line about it. */
function firstLine(zone: Zone, find: RecordsetFinder, { name, type }: RrsetBody): Line {
  const found = find({ name, type })
  const records = (found?.records ?? []).map(content => ({ content }))
  return {
    found,
    changed: { name, type, ttl: found && ttlOf(found, zone), records },
    kinds: new Set(),
  }
}

/** A TTL is required; comments that are not given stay. */
function patchOf(
  { name, type, ttl, comments }: Changed,
  { ttlSeconds, description, records }: ReturnType<typeof recordsetDraftFromBody>,
): Replacement['patch'] {
  if (ttl === undefined) throw new ApiError('bad_request', `${name} ${type}: ttl is missing`)
  return { ttlSeconds, records, ...(comments !== undefined && { description }) }
}

function putRoute(services: Services): Route {
  return route(`PUT ${zonePath}`, {
    rule: 'update_zone',
    summary:
      'Changes the masters of a zone, makes one that others write a zone of its own, signs it or has it go insecure',
    answers: { 204: null },
    refusals: ['zone_not_found', 'bad_request', 'forbidden', 'no_servers_configured', 'over_quota'],
    bodySchema: zonePutSchema,
    async respond(context) {
      const { body, caller } = context
      const zone = zoneIn(services, context)
      const isOther = body.kind !== undefined && zoneTypeOf(body.kind) !== zone.type
      if (isOther && zone.type === 'PRIMARY')
        throw new ApiError('bad_request', 'A zone with content of its own does not become a Slave')
      if (isOther) await services.zones.promote(caller, zone.id)
      else if (body.masters !== undefined && zone.type === 'SECONDARY')
        await services.zones.update(caller, zone.id, { masters: mastersIn(body.masters) })
      await signedAsAsked(services, context, zone)
    },
  })
}

/** Signs a zone, or has it go insecure, where the body asks for what it is not. */
async function signedAsAsked(
  { dnssec }: Services,
  { caller, body }: { readonly caller: Caller; readonly body: { readonly dnssec?: boolean } },
  zone: Zone,
): Promise<Zone> {
  const isSigned = zone.dnssec !== undefined && zone.dnssec.isLeaving !== true
  if (body.dnssec === undefined || body.dnssec === isSigned) return zone
  if (body.dnssec) return (await dnssec.enable(caller, zone.id, {})).zone
  await dnssec.disable(caller, zone.id, false)
  return zone
}

function taskRoutes(services: Services): readonly Route[] {
  return [
    route(`GET ${zonePath}/export`, {
      rule: 'zone_export',
      summary: 'Shows a zone as a zone file',
      answers: { 200: text('example.com.\t3600\tIN\tNS\tns1.example.net.') },
      refusals: ['zone_not_found'],
      produces: ['text/plain', 'application/json'],
      async handler(context) {
        const { id } = zoneIn(services, context)
        const text = await services.zoneExports.textOfZone(context.caller, id)
        return { status: 200, headers: { 'content-type': 'text/plain' }, stream: () => text }
      },
    }),
    route(`PUT ${zonePath}/notify`, {
      rule: 'update_zone',
      summary: 'Tells name servers elsewhere of a zone once more',
      answers: { 200: resultAnswer },
      refusals: ['zone_not_found'],
      async respond(context) {
        await services.zoneSync.syncZone(context.caller, zoneIn(services, context).id)
        return { result: 'Notification queued' }
      },
    }),
    route(`PUT ${zonePath}/axfr-retrieve`, {
      rule: 'xfr_zone',
      summary: 'Asks the masters of a zone now',
      answers: { 200: resultAnswer },
      refusals: ['zone_not_found', 'bad_request'],
      respond(context) {
        services.zones.refresh(context.caller, zoneIn(services, context).id)
        return { result: 'Added retrieval request' }
      },
    }),
    route(`PUT ${zonePath}/rectify`, {
      rule: 'update_zone',
      summary: 'Does nothing: zones are always in order',
      answers: { 200: resultAnswer },
      refusals: ['zone_not_found'],
      respond(context) {
        zoneIn(services, context)
        return { result: 'Rectified' }
      },
    }),
    route(`GET ${zonePath}/cryptokeys`, {
      rule: 'get_zone',
      summary: 'Lists the cryptokeys of a zone',
      answers: { 200: cryptoKeysAnswer },
      refusals: ['zone_not_found'],
      respond(context) {
        const { id } = zoneIn(services, context)
        return cryptoKeysView(services.dnssec.get(context.caller, id))
      },
    }),
  ]
}

const algorithmNames: Readonly<Record<number, string>> = {
  8: 'RSASHA256',
  13: 'ECDSAP256SHA256',
  15: 'ED25519',
}

const isServed = ({ state }: DnssecKey['dnskey']) => state === 'RUMOURED' || state === 'OMNIPRESENT'

/** The keys of a zone. The id of a key is its tag: in PowerDNS it is a number. */
function cryptoKeysView({ keys, ds }: DnssecState): object[] {
  return keys.map(({ row, dnskey }) => ({
    type: 'Cryptokey',
    id: row.tag,
    keytype: row.role.toLowerCase(),
    active: isServed(row.zoneSignatures ?? row.dnskey),
    published: isServed(row.dnskey),
    flags: Number.parseInt(dnskey, 10),
    dnskey,
    algorithm: algorithmNames[row.algorithm] ?? '',
    ds: ds.filter(text => text.startsWith(`${row.tag} ${row.algorithm} `)),
  }))
}

/** A zone, with its RRsets unless the query says otherwise. */
function shown(
  { recordsets }: Services,
  { query }: Pick<RequestContext, 'query'>,
  { zone, status = 200 }: { readonly zone: Zone; readonly status?: number },
): Reply {
  if (query.get('rrsets') === 'false') return { status, body: zoneView(zone) }
  const asked = query.get('rrset_name')
  const name = asked && withFinalDot(asked).toLowerCase()
  const type = query.get('rrset_type')?.toUpperCase()
  const isWanted = (row: Recordset) =>
    (!name || row.name.toLowerCase() === name) && (!type || row.type === type)
  function* pages() {
    for (const page of recordsets.pages(zone)) yield page.filter(isWanted)
  }
  return {
    status,
    headers: { 'content-type': 'application/json' },
    stream: () => zoneWithRrsets(zone, pages()),
  }
}
