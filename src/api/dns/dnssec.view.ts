import type { DnssecKey } from '../../model/dnssec-key.ts'
import type { DnssecState } from '../../service/dnssec/dnssec.ts'
import type { ShownKey } from '../../service/dnssec/dnssec-keys.ts'
import { formatTimestamp, formatTimestampOrNull } from '../timestamps.ts'

/** How a zone is signed, as the API shows it. */
export function dnssecView(state: DnssecState): object {
  const { zone, status, keys, ds, isDsAsked } = state
  const isSigned = status === 'SIGNED' || status === 'UNSIGNING'
  return {
    status,
    denial: state.denial ?? null,
    policy_id: zone.dnssec?.policy ?? null,
    serial: zone.serial,
    nearest_expiration: formatTimestampOrNull(
      state.nearestExpiration === undefined ? null : state.nearestExpiration * 1e6,
    ),
    ds: isSigned ? ds : [],
    ds_from: formatTimestampOrNull(dsFromOf(keys.map(({ row }) => row))),
    cds_published: isSigned && isDsAsked,
    signals_children: zone.dnssec?.signalsChildren ?? false,
    parent: zone.dnssec === undefined ? null : parentView(state),
    keys: keys.map(keyView),
    tasks: isSigned ? tasksOf(state) : [],
    problems: state.parent.foreignDs.map(text => `The parent has a DS of no key here: ${text}`),
    waits_for: status === 'SIGNING' ? 'the signatures of the zone are being made' : null,
  }
}

export function keyView({ row, dnskey }: ShownKey): object {
  return {
    id: row.id,
    tag: row.tag,
    algorithm: row.algorithm,
    role: row.role,
    goal: row.goal,
    states: {
      dnskey: row.dnskey.state,
      // The signature of the DNSKEY RRset is cached with it.
      dnskey_signatures: row.ds === null ? null : row.dnskey.state,
      zone_signatures: row.zoneSignatures?.state ?? null,
      ds: row.ds?.state ?? null,
    },
    dnskey,
    created_at: formatTimestamp(row.createdAt),
  }
}

function parentView({ parent }: DnssecState): object {
  const { hosted, report, notification, signalledAt } = parent
  return {
    zone: hosted?.name ?? report?.parent ?? null,
    hosted_here: hosted !== undefined,
    servers: (report?.servers ?? []).map(({ host, ds, error }) => ({ host, ds, error })),
    checked_at: formatTimestampOrNull(report?.checkedAt ?? null),
    notified: (notification?.targets ?? []).map(({ host, port, isAcknowledged }) => {
      return { host, port, acknowledged: isAcknowledged }
    }),
    notified_at: formatTimestampOrNull(notification?.at ?? null),
    signalled_at: signalledAt,
  }
}

/** From when on no cache can have the zone without its newest key, in microseconds; null while that is not known, and for a
 *  key that was in use before its import. */
function dsFromOf(keys: readonly DnssecKey[]): number | null {
  const coming = keys.filter(({ ds, goal }) => ds !== null && goal === 'OMNIPRESENT').at(-1)
  if (coming === undefined) return null
  if (coming.ds !== null && coming.ds.state !== 'HIDDEN') return coming.ds.since || null
  const ends = keys.flatMap(({ goal, dnskey, zoneSignatures }) => {
    if (goal === 'HIDDEN') return []
    return [dnskey, zoneSignatures].flatMap(it => (it?.state === 'RUMOURED' ? it.until : []))
  })
  return ends.some(at => at === null) ? null : Math.max(0, ...ends.map(at => at ?? 0)) || null
}

const called = { dnskey: 'DNSKEY', zoneSignatures: 'signatures', ds: 'DS' } as const
type KeyRecord = keyof typeof called

/** What is under way of each key, and what it waits for. */
function tasksOf(state: DnssecState): object[] {
  return state.keys.flatMap(({ row }) =>
    (['dnskey', 'zoneSignatures', 'ds'] as const).flatMap(record => {
      const presence = row[record]
      if (presence?.state !== 'RUMOURED' && presence?.state !== 'UNRETENTIVE') return []
      return {
        key_id: row.id,
        tag: row.tag,
        step: `${presence.state === 'RUMOURED' ? 'introduce' : 'withdraw'} the ${called[record]}`,
        waits_for: waitsFor(state, { row, record, isKnown: presence.until !== null }),
        until: formatTimestampOrNull(presence.until),
      }
    }),
  )
}

function waitsFor(
  { parent }: DnssecState,
  {
    row,
    record,
    isKnown,
  }: { readonly row: DnssecKey; readonly record: KeyRecord; readonly isKnown: boolean },
): string {
  if (isKnown) return 'caches still have what was there before'
  if (record !== 'ds') return 'the zone is being signed'
  const { some, all } = parent.followersOf(row)
  const wanted = row.ds?.state === 'RUMOURED' ? 'have the DS' : 'have the DS no longer'
  const { name } = parent.hosted ?? { name: parent.report?.parent ?? 'the parent' }
  if (all === 0) return `all servers of ${name} to ${wanted}; none has answered yet`
  return `all servers of ${name} to ${wanted}: ${some} of ${all} do. Registries that scan for CDS may take a week`
}
