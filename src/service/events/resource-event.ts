import type { Actor } from '../../actor.ts'
import type { CollectionName, Collections } from '../../model/collections.ts'
import { dnssecKeyOf } from '../../model/dnssec-key.ts'
import { recordsetUnpacker } from '../../model/packed-recordset.ts'
import type { Recordset } from '../../model/recordset.ts'
import { stretchesOf } from '../../model/recordset-run.ts'
import { isInUse, type Zone } from '../../model/zone.ts'
import type { Change, Commit, FactsOf, PastCommit } from '../../store/store.ts'
import { cursorText, type EventCursor } from './event-cursor.ts'

// Every change as subscribers see it: under Designate's notification names, and beside them those of usage rating. An
// event is made from a commit alone, so the same commit read back from the journal makes the same event with the same
// id.

type EventVerb = 'create' | 'update' | 'delete'

/** A change of one resource. */
export type ResourceEvent = Pick<CommitEvent, keyof CommitEvent>

/** The zone that a row belongs to; undefined where the zone is deleted or no longer in use. */
type ZoneOf = (zoneId: string) => Zone | undefined

/** The part of a collection's rows that appears in events. */
type Source<C extends CollectionName> = {
  /** The part of the type before the verb. */
  readonly resource: string
  /** Names of changes that are not called by their verb; changes without a name then have no event. */
  readonly names?: Readonly<Partial<Record<EventVerb, string>>>
  payload(row: Collections[C]): Readonly<Record<string, unknown>>
  /** The projects that see it, where that is not the row's own alone; undefined: this row has no event. */
  projectIds?(row: Collections[C], zoneOf: ZoneOf): string[] | undefined
}

// Other collections have no events, such as credentials, roles and prices.
const sources: { readonly [C in CollectionName]?: Source<C> } = {
  zones: {
    resource: 'dns.zone',
    payload: fields(
      'id',
      'name',
      'type',
      'projectId',
      'poolId',
      'email',
      'ttlSeconds',
      'serial',
      'version',
    ),
  },
  recordsets: {
    resource: 'dns.recordset',
    payload: fields('id', 'zoneId', 'name', 'type', 'ttlSeconds', 'records', 'version'),
    // SOA and apex NS follow from other changes, and a zone is deleted with all of its recordsets.
    projectIds: ({ zoneId, isManaged }, zoneOf) => {
      const zone = isManaged ? undefined : zoneOf(zoneId)
      return zone && [zone.projectId]
    },
  },
  zoneShares: {
    resource: 'dns.zone',
    names: { create: 'share', delete: 'unshare' },
    payload: fields('id', 'zoneId', 'targetProjectId'),
    // A share is deleted with its zone, as are offers of the zone.
    projectIds: ({ zoneId, targetProjectId }, zoneOf) => {
      const zone = zoneOf(zoneId)
      return zone && [zone.projectId, targetProjectId]
    },
  },
  zoneTransferRequests: {
    resource: 'dns.zone_transfer_request',
    // Without the key.
    payload: fields('id', 'zoneId', 'projectId', 'targetProjectId', 'status'),
    projectIds: ({ zoneId, projectId, targetProjectId }, zoneOf) =>
      zoneOf(zoneId) && [projectId, targetProjectId ?? []].flat(),
  },
  zoneTransferAccepts: {
    resource: 'dns.zone_transfer_accept',
    payload: fields('id', 'zoneId', 'projectId', 'zoneTransferRequestId'),
    projectIds: ({ zoneId, projectId }, zoneOf) => zoneOf(zoneId) && [projectId],
  },
  zoneExports: {
    resource: 'dns.zone_export',
    payload: fields('id', 'zoneId', 'projectId'),
  },
  zoneImports: {
    resource: 'dns.zone_import',
    payload: fields('id', 'zoneId', 'projectId', 'status', 'message'),
  },
  blacklists: {
    resource: 'dns.blacklist',
    payload: fields('id', 'pattern'),
  },
  queryLogRules: {
    resource: 'dns.query_log_rule',
    payload: fields('id', 'zoneId', 'client', 'sampledOf', 'endsAt'),
  },
  tlds: { resource: 'dns.tld', payload: fields('id', 'name') },
  tsigKeys: {
    resource: 'dns.tsigkey',
    // Without the secret.
    payload: fields('id', 'name', 'algorithm', 'scope', 'resourceId'),
  },
  dnssecKeys: {
    resource: 'dns.dnssec_key',
    // Without the private part.
    payload: row => {
      const key = dnssecKeyOf(row)
      const { dnskey, zoneSignatures, ds } = key
      return {
        ...fields('id', 'zoneId', 'tag', 'algorithm', 'role', 'goal')(key),
        dnskey: dnskey.state,
        zone_signatures: zoneSignatures?.state ?? null,
        ds: ds?.state ?? null,
      }
    },
    projectIds: ({ zoneId }, zoneOf) => {
      const zone = zoneOf(zoneId)
      return zone && [zone.projectId]
    },
  },
  expiringSignatures: {
    resource: 'dns.dnssec',
    names: { create: 'expiring' },
    payload: ({ id, zoneName, nearestExpiration }) => ({
      zone_id: id,
      zone_name: zoneName,
      nearest_expiration: nearestExpiration,
    }),
  },
  dnssecPolicies: {
    resource: 'dns.dnssec_policy',
    payload: fields('id', 'name', 'keys', 'algorithm'),
  },
  pools: {
    resource: 'dns.pool',
    payload: ({ id, name, nsRecords }) => ({
      id,
      name,
      ns_records: nsRecords.map(({ hostname, priority }) => ({ hostname, priority })),
    }),
    projectIds: () => [],
  },
  budgets: {
    resource: 'rating.budget',
    payload: fields('id', 'projectId', 'amount', 'thresholds'),
  },
  budgetCrossings: {
    resource: 'rating.budget',
    names: { create: 'threshold' },
    payload: fields('budgetId', 'projectId', 'month', 'threshold', 'amount', 'cost'),
  },
}

/** A payload with fields of the row, under the API's names. */
function fields<F extends string>(...names: readonly F[]) {
  const shown = names.map(name => [name, fieldName(name)] as const)
  return (row: { readonly [K in F]: unknown }) =>
    Object.fromEntries(shown.map(([name, shownName]) => [shownName, row[name]]))
}

function fieldName(name: string): string {
  if (name === 'ttlSeconds') return 'ttl'
  return name.replaceAll(/[A-Z]/g, capital => `_${capital.toLowerCase()}`)
}

/** The data of an event that its change's row does not have. It is kept with the commit, because it depends on the
 *  state before the commit and on the zone's owner at that time; so a commit makes the same event whenever it is
 *  read. */
type EventFact = {
  /** The position of the change among those of its commit. */
  readonly position: number
  /** The number of changes from there on that have events of the same kind; one where not given. */
  count?: number
  readonly type: string
  readonly projects: readonly string[]
  /** The payload of a deleted row, as the commit may not have the row from before. */
  readonly payload?: Readonly<Record<string, unknown>>
}

/** The facts of a commit. */
export const eventFactsOf: FactsOf = ({ rowChanges, added }, reader) => {
  let last: Zone | undefined
  const zoneOf: ZoneOf = zoneId => {
    if (last?.id !== zoneId) last = reader.get('zones', zoneId)
    return last !== undefined && isInUse(last) ? last : undefined
  }
  const facts: EventFact[] = []
  let former: Change | undefined
  for (const [position, change] of rowChanges.entries()) {
    const before = facts.at(-1)
    const isAlike = former !== undefined && isAlikeRecordset(former, change)
    if (isAlike && before?.position === position - (before?.count ?? 1)) {
      before.count = (before.count ?? 1) + 1
      continue
    }
    former = change
    const fact = factOf(change, { position, zoneOf })
    if (fact === undefined) continue
    if (before !== undefined && goesOn(before, fact)) before.count = (before.count ?? 1) + 1
    else facts.push(fact)
  }
  let position = rowChanges.length
  for (const { first, count } of added.flatMap(run => [...stretchesOf(run)])) {
    const after = recordsetUnpacker.unpack(first)
    const change: Change = { collection: 'recordsets', id: after.id, before: undefined, after }
    const fact = factOf(change, { position, zoneOf })
    if (fact !== undefined) facts.push(count === 1 ? fact : { ...fact, count })
    position += count
  }
  return facts
}

/** The number of events of a commit; also 0 where the program that wrote it kept no facts. */
export function eventCountOf({ facts }: Pick<Commit, 'facts'>): number {
  if (!Array.isArray(facts)) return 0
  return (facts as readonly EventFact[]).reduce((sum, { count = 1 }) => sum + count, 0)
}

/** The events of a commit, in the order of its changes; undefined where the program that wrote it kept no facts. */
export function eventsOf(commit: Commit | PastCommit): readonly ResourceEvent[] | undefined {
  const { facts } = commit
  if (!Array.isArray(facts)) return undefined
  return (facts as readonly EventFact[]).flatMap(fact =>
    Array.from({ length: fact.count ?? 1 }, (_, i) => new CommitEvent(commit, fact, i)),
  )
}

/** A class, not an object with a getter: V8 makes a hidden class for each of those, which is old from the start. */
class CommitEvent {
  readonly cursor: EventCursor
  /** The cursor as text: in order, unique, and the same after a restart. */
  readonly id: string
  /** `dns.zone.create`, `rating.budget.threshold` and the like. */
  readonly type: string
  /** Microseconds since the Unix epoch. */
  readonly at: number
  /** The projects that may see the event: those that own the resource before and after. Empty: administrators. */
  readonly projectIds: readonly string[]
  /** Undefined where the commit does not say. */
  readonly actor: Actor | undefined
  readonly #commit: Commit | PastCommit
  readonly #deleted: EventFact['payload']

  /** @param index among the events of the fact */
  constructor(commit: Commit | PastCommit, fact: EventFact, index: number) {
    this.cursor = { lsn: commit.lsn, position: fact.position + index }
    this.id = cursorText(this.cursor)
    this.type = fact.type
    this.at = commit.atMicros
    this.projectIds = fact.projects
    this.actor = commit.actor
    this.#commit = commit
    this.#deleted = fact.payload
  }

  /** Computed on demand: of very many events hardly any are ever sent. */
  get payload(): Readonly<Record<string, unknown>> {
    if (this.#deleted !== undefined) return this.#deleted
    const change = this.#commit.changes[this.cursor.position]
    return change === undefined ? {} : payloadOf(change.collection, change.after ?? change.before)
  }
}

function factOf(
  change: Change,
  { position, zoneOf }: { readonly position: number; readonly zoneOf: ZoneOf },
): EventFact | undefined {
  const source = sources[change.collection] as Source<CollectionName> | undefined
  const verb = verbOf(change)
  const { before, after } = change
  const row = after ?? before
  const name = verb && (source?.names === undefined ? verb : source.names[verb])
  if (source === undefined || name === undefined || row === undefined) return undefined
  const { projectIds: projectIdsOf = ownerOf } = source
  const projectIds = projectIdsOf(row, zoneOf)
  if (projectIds === undefined) return undefined
  // The former owner must see the event as well.
  const former = before && projectIdsOf(before, zoneOf)
  return {
    position,
    type: `${source.resource}.${name}`,
    projects: distinct([...projectIds, ...(former ?? [])]),
    ...(after === undefined &&
      change.collection !== 'recordsets' && { payload: source.payload(row) }),
  }
}

/** The project that a row belongs to; none where administrators keep it for all of them. */
function ownerOf(row: Collections[CollectionName]): string[] {
  return 'projectId' in row && row.projectId !== null ? [row.projectId] : []
}

function distinct(ids: readonly string[]): readonly string[] {
  const [first, ...others] = ids
  if (first !== undefined && others.every(id => id === first)) return [first]
  return [...new Set(ids)]
}

/** Whether two changes are of recordsets of one zone and have the same fact, if any; cheaper than making the fact. */
function isAlikeRecordset(one: Change, other: Change): boolean {
  if (one.collection !== 'recordsets' || other.collection !== 'recordsets') return false
  return isAlikeRow(one.before, other.before) && isAlikeRow(one.after, other.after)
}

function isAlikeRow(one: Recordset | undefined, other: Recordset | undefined): boolean {
  return one?.zoneId === other?.zoneId && one?.isManaged === other?.isManaged
}

/** Whether a change after those of a fact has an event of the same kind. */
function goesOn({ position, count = 1, ...known }: EventFact, next: EventFact): boolean {
  return (
    position + count === next.position &&
    known.type === next.type &&
    known.payload === undefined &&
    next.payload === undefined &&
    known.projects.join() === next.projects.join()
  )
}

function payloadOf(
  collection: CollectionName,
  row: Collections[CollectionName] | undefined,
): Readonly<Record<string, unknown>> {
  const source = sources[collection] as Source<CollectionName> | undefined
  return row === undefined ? {} : (source?.payload(row) ?? {})
}

/** A zone counts as deleted when its deletion is accepted, or when it is abandoned; the later removal of its rows is
 *  not another event. */
function verbOf(change: Change): EventVerb | undefined {
  if (change.collection === 'zones') {
    const { before, after } = change
    const wasInUse = before === undefined || isInUse(before)
    if (!wasInUse) return undefined
    if (after !== undefined && !isInUse(after)) return 'delete'
  }
  if (change.before === undefined) return 'create'
  return change.after === undefined ? 'delete' : 'update'
}
