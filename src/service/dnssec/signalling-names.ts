import { isNameText } from '../../dns/name.ts'
import { isServed } from '../../dnssec/presence.ts'
import type { DnssecKey } from '../../model/dnssec-key.ts'
import type { Recordset } from '../../model/recordset.ts'
import { isInUse, isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { enclosingNames } from '../../model/zone-name.ts'
import { everything, keyOf } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { findAtApex, findRecordsetOf } from '../rules/find-recordset.ts'
import { advanceZone, putManaged } from '../rules/zone-rows.ts'

// Authenticated bootstrapping (RFC 9615): a zone's CDS and CDNSKEY are also published at
// `_dsboot.<zone>._signal.<name server>`, where a registry that has no DS of the zone yet can validate them. The zone of the
// name server has to be signed here, with `signalsChildren` set.

/** What a zone asks of its parent. */
export type ParentRecords = Readonly<Record<'CDS' | 'CDNSKEY', readonly string[]>>

type Signal = Pick<Recordset, 'zoneId' | 'name' | 'type'> & { readonly records: readonly string[] }

/** Recordsets that a commit changes at most. */
const chunkSize = 200

/** Whether a zone waits for its first DS at the parent: no cache can have one yet. */
export function isBootstrapping(keys: readonly DnssecKey[]): boolean {
  const known = keys.flatMap(({ ds }) => (ds === null || ds.state === 'HIDDEN' ? [] : ds))
  return known.length > 0 && known.every(ds => ds.state === 'RUMOURED' && isServed(ds))
}

/** The names at which a zone is signalled. */
export function signalledNamesOf(reader: StoreReader, zone: Zone): readonly string[] {
  return signallingNamesOf(reader, zone).flatMap(({ name, zoneId }) => {
    const signal = findRecordsetOf(reader, { id: zoneId }, { name, type: 'CDS' })
    return signal?.isManaged === true ? name : []
  })
}

function signallingNamesOf(
  reader: StoreReader,
  zone: Zone,
): readonly { readonly name: string; readonly zoneId: string }[] {
  const hosts = findAtApex(reader, zone, 'NS')?.records ?? []
  return hosts.flatMap(text => {
    const host = text.toLowerCase()
    const name = `_dsboot.${zone.name.toLowerCase()}_signal.${host}`
    // Names below the zone itself could not be validated.
    if (`.${host}`.endsWith(`.${zone.name.toLowerCase()}`) || !isNameText(name)) return []
    const signaller = signallerOf(reader, name)
    return signaller === undefined ? [] : { name, zoneId: signaller.id }
  })
}

/** Makes all signalling zones contain the records of the given zones, signed and without a DS, and of no others. */
export async function keepSignals<Z extends { readonly zone: Zone }>(
  store: Store,
  zones: readonly Z[],
  recordsOf: (zone: Z) => ParentRecords,
): Promise<void> {
  const wanted = new Map<string, Signal>()
  const slice = new TimeSlice()
  for (const found of zones) {
    const names = signallingNamesOf(store, found.zone)
    // Made for those alone that are signalled, as hardly any is.
    for (const [type, records] of names.length === 0 ? [] : Object.entries(recordsOf(found))) {
      for (const { name, zoneId } of names)
        wanted.set(keyOf(zoneId, name, type), { zoneId, name, type, records })
    }
    if (slice.isSpent) await slice.yield()
  }
  const stale = [...store.list('recordsets', 'signals', everything)].filter(row => {
    const zone = store.get('zones', row.zoneId)
    const isOurs = zone !== undefined && isInUse(zone) && !isWrittenElsewhere(zone)
    return isOurs && !wanted.has(keyOf(row.zoneId, row.name, row.type))
  })
  const missing = [...wanted.values()].filter(signal => {
    const existing = findRecordsetOf(store, { id: signal.zoneId }, signal)
    return existing === undefined || (existing.isManaged && !hasRecords(existing, signal.records))
  })
  const changes = [
    ...stale.map(({ id, zoneId }) => ({
      zoneId,
      make: (tx: Transaction) => tx.delete('recordsets', id),
    })),
    ...missing.map(signal => ({
      zoneId: signal.zoneId,
      make: (tx: Transaction, zone: Zone) => putSignal(tx, zone, signal),
    })),
  ]
  for (const [zoneId, ofZone] of Map.groupBy(changes, change => change.zoneId)) {
    for (let from = 0; from < ofZone.length; from += chunkSize) {
      await store.commit(tx => {
        const zone = tx.get('zones', zoneId)
        if (zone === undefined || !isInUse(zone) || isWrittenElsewhere(zone)) return
        for (const { make } of ofZone.slice(from, from + chunkSize)) make(tx, zone)
        advanceZone(tx, zone)
      })
    }
  }
}

/** The zone of this server that a name belongs to, if it signals and answers for the name. */
function signallerOf(reader: StoreReader, name: string): Zone | undefined {
  const names = [name, ...enclosingNames(name)]
  for (const [i, apex] of names.entries()) {
    const zones = [...reader.list('zones', 'byLowerName', apex)].filter(isInUse)
    if (zones.length === 0) continue
    return zones.find(zone => {
      const { signedAt = null, signalsChildren = false } = zone.dnssec ?? {}
      const signals = signedAt !== null && signalsChildren && !isWrittenElsewhere(zone)
      return signals && !isLedElsewhere(reader, zone, names.slice(0, i))
    })
  }
  return undefined
}

/** Whether a user of the zone has delegated or renamed the first name or one above it, or made it an alias. */
function isLedElsewhere(reader: StoreReader, zone: Zone, names: readonly string[]): boolean {
  return names.some((name, i) =>
    ['NS', 'DNAME', ...(i === 0 ? ['CNAME'] : [])].some(
      type => findRecordsetOf(reader, zone, { name, type }) !== undefined,
    ),
  )
}

function hasRecords({ records }: Recordset, wanted: readonly string[]): boolean {
  return records.toSorted().join() === wanted.toSorted().join()
}

/** A recordset that a user has put there meanwhile stays. */
function putSignal(tx: Transaction, zone: Zone, signal: Signal): void {
  if (findRecordsetOf(tx, zone, signal)?.isManaged !== false) putManaged(tx, zone, signal)
}
