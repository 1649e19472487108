import { isNewerSerial, nextSerial } from '../../dns/serial.ts'
import { ApiError } from '../../errors.ts'
import { defaultTtlSeconds } from '../../model/limits.ts'
import { nsRecordsInOrder, type Pool } from '../../model/pool.ts'
import { withRecords } from '../../model/record-marks.ts'
import type { Recordset } from '../../model/recordset.ts'
import { newSoaTimers, soaText } from '../../model/soa.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { isWrittenElsewhere, newTransferState, type Zone } from '../../model/zone.ts'
import type { ZoneDraft } from '../../model/zone-draft.ts'
import type { StoreReader, Transaction } from '../../store/store.ts'
import { findAtApex, findRecordsetOf } from './find-recordset.ts'
import { firstSerial, keepLastSerial } from './last-serials.ts'
import { findParentZone, isAnsweredBy } from './zone-tree.ts'

// Writes zones together with the recordsets that the server keeps in them: every change of a PRIMARY zone gets the next
// serial, and every serial its SOA. Code that changes a zone's data ends with `advanceZone`.

const microsPerSecond = 1_000_000

/** Serial of a SECONDARY zone until its first transfer. */
const untransferredSerial = 1

/** The fields of its own SOA that a zone comes with. */
export type GivenSoa = Pick<Zone, 'serial' | 'soaTimers'>

/** The project and the pool of a new zone; without an SOA of its own it gets one. */
type NewZoneOptions = {
  readonly projectId: string
  readonly pool: Pool
  readonly soa?: GivenSoa | undefined
  readonly hasTrustedMasters?: boolean
  /** Whether SOA and NS come with its content. */
  readonly isPresigned?: boolean | undefined
}

/** Puts a new zone and, for a PRIMARY, its SOA and the pool's NS. A SECONDARY is empty before its first transfer.
 *  Withdraws an abandoned zone of the same name.
 *  @throws ApiError no_servers_configured */
export function putNewZone(
  tx: Transaction,
  draft: ZoneDraft,
  { projectId, pool, soa, hasTrustedMasters = false, isPresigned = false }: NewZoneOptions,
): Zone {
  withdrawAbandoned(tx, draft.name, pool)
  const common = {
    ...newStamp(tx),
    ...draft,
    projectId,
    poolId: pool.id,
    soaTimers: newSoaTimers(Math.random()),
    isDeleting: false,
    transferredAt: null,
  }
  if (draft.type === 'SECONDARY') {
    const transfer = newTransferState(tx.atMicros)
    return tx.put('zones', { ...common, serial: untransferredSerial, transfer, hasTrustedMasters })
  }
  const ttlSeconds = draft.ttlSeconds ?? defaultTtlSeconds
  // That of signed content cannot be another one.
  const serial =
    soa !== undefined && isPresigned
      ? soa.serial
      : firstSerial(tx, { name: draft.name, pool, given: soa?.serial })
  const zone: Zone = { ...common, ttlSeconds, ...soa, serial }
  if (isPresigned) return tx.put('zones', { ...zone, isPresigned })
  tx.put('zones', zone)
  const hostnames = hostnamesOf(pool)
  putManaged(tx, zone, { type: 'SOA', records: [soaText(zone, hostnames[0])] })
  putManaged(tx, zone, { type: 'NS', records: hostnames })
  return zone
}

/** Withdraws the abandoned zones that a zone of this name replaces. Call it before that zone is put, so that they
 *  are withdrawn before it is published. */
export function withdrawAbandoned(tx: Transaction, name: string, pool: Pool): void {
  for (const zone of [...tx.list('zones', 'abandonedByLowerName', name.toLowerCase())]) {
    if (!isAnsweredBy(tx, zone, pool)) continue
    keepLastSerial(tx, zone)
    putDeleting(tx, zone)
  }
}

/** Marks the zone as being deleted: its targets drop it, then its rows are removed. The DS that the server keeps for
 *  it in a parent here is deleted at once. Returns the zone. */
export function putDeleting(tx: Transaction, zone: Zone): Zone {
  const deleting = tx.put('zones', changedRow(tx, zone, { isDeleting: true }))
  if (zone.dnssec !== undefined) withdrawHostedDs(tx, zone)
  return deleting
}

function withdrawHostedDs(tx: Transaction, child: Zone): void {
  const parent = findParentZone(tx, child)
  const existing = parent && findRecordsetOf(tx, parent, { name: child.name, type: 'DS' })
  if (parent === undefined || existing?.isManaged !== true) return
  tx.delete('recordsets', existing.id)
  advanceZone(tx, parent)
}

/** Puts the changed zone with its next serial, if none is given, and its SOA; a zone that is written elsewhere gets
 *  both from there. Returns the zone. */
export function advanceZone(tx: Transaction, zone: Zone, changes: Partial<Zone> = {}): Zone {
  if (isWrittenElsewhere(zone)) return tx.put('zones', changedRow(tx, zone, changes))
  const serial = changes.serial ?? nextSerial(zone.serial, tx.atMicros / microsPerSecond)
  const advanced = tx.put('zones', changedRow(tx, zone, { ...changes, serial }))
  const pool = tx.get('pools', advanced.poolId)
  const records = [soaText(advanced, hostnamesOf(pool)[0])]
  putManaged(tx, advanced, { type: 'SOA', records })
  return advanced
}

/** Raises the serials of zones above those that were served from lost states, so that secondaries transfer the zones again, as a
 *  whole: the zone may have had the same serials with another content since. A zone that is written elsewhere keeps the serial of
 *  that place, which its next refresh is compared with. */
export function raiseAboveLost(tx: Transaction, lost: readonly LostChanges[]): void {
  const servedSerials = new Map<string, number>()
  for (const { collection, id, after } of lost.flatMap(({ changes }) => changes)) {
    if (collection !== 'zones' || after === undefined) continue
    const { serial } = after as Zone
    const known = servedSerials.get(id)
    if (known === undefined || isNewerSerial(serial, known)) servedSerials.set(id, serial)
  }
  for (const [id, served] of servedSerials) {
    const zone = tx.get('zones', id)
    if (zone === undefined || zone.isDeleting || isWrittenElsewhere(zone)) continue
    // Another node has lost the same.
    if (zone.raisedTo !== undefined && isNewerSerial(zone.raisedTo, served)) continue
    const highest = isNewerSerial(zone.serial, served) ? zone.serial : served
    const serial = nextSerial(highest, tx.atMicros / microsPerSecond)
    advanceZone(tx, zone, { serial, raisedTo: serial })
  }
}

type LostChanges = {
  readonly changes: readonly {
    readonly collection: string
    readonly id: string
    readonly after?: unknown
  }[]
}

/** As `advanceZone`, with the name servers of the zone's pool, for a zone that has a new pool or whose pool has new
 *  name servers.
 *  @throws ApiError no_servers_configured */
export function rewriteApex(tx: Transaction, zone: Zone, changes: Partial<Zone> = {}): Zone {
  const advanced = advanceZone(tx, zone, changes)
  if (!isWrittenElsewhere(advanced)) {
    const records = hostnamesOf(tx.get('pools', advanced.poolId))
    putManaged(tx, advanced, { type: 'NS', records })
  }
  return advanced
}

/** Whether the apex NS of a zone are its pool's; true also for a zone that is written elsewhere or being deleted,
 *  which need not have them. */
export function hasApexOfPool(reader: StoreReader, zone: Zone): boolean {
  if (isWrittenElsewhere(zone) || zone.isDeleting) return true
  const hostnames = hostnamesOf(reader.get('pools', zone.poolId))
  const stored = findAtApex(reader, zone, 'NS')?.records ?? []
  return stored.join() === hostnames.join()
}

/** Creates or replaces a recordset that the server keeps. Goes with a call of `advanceZone`.
 *  @param content at the apex where it has no name */
export function putManaged(
  tx: Transaction,
  zone: Zone,
  { name = zone.name, ...content }: ManagedContent,
): void {
  const existing = findRecordsetOf(tx, zone, { name, type: content.type })
  if (existing !== undefined) {
    const contents = withRecords(existing, content.records, tx.atMicros)
    tx.put('recordsets', changedRow(tx, existing, { ...content, ...contents, isManaged: true }))
    return
  }
  const own = { zoneId: zone.id, name, ttlSeconds: null, description: null }
  tx.put('recordsets', { ...newStamp(tx), ...own, ...content, isManaged: true })
}

type ManagedContent = Pick<Recordset, 'type' | 'records'> &
  Partial<Pick<Recordset, 'name' | 'ttlSeconds' | 'description'>>

/** As `putManaged`; without records there is no recordset. Returns whether it changed. */
export function keepManaged(
  tx: Transaction,
  zone: Zone,
  content: Pick<Recordset, 'name' | 'type' | 'records'>,
): boolean {
  const existing = findRecordsetOf(tx, zone, content)
  const present = existing?.records ?? []
  if (present.toSorted().join() === content.records.toSorted().join()) return false
  if (content.records.length > 0) putManaged(tx, zone, content)
  else if (existing !== undefined) tx.delete('recordsets', existing.id)
  return true
}

function hostnamesOf(pool: Pool | undefined): readonly [string, ...string[]] {
  const [first, ...rest] = pool === undefined ? [] : nsRecordsInOrder(pool)
  if (first === undefined) {
    throw new ApiError('no_servers_configured', 'The pool of the zone has no name servers')
  }
  return [first.hostname, ...rest.map(({ hostname }) => hostname)]
}

/** Forgets that a zone's signatures expire: it is deleted, or no longer signed. */
export function forgetExpiring(tx: Transaction, zoneId: string): void {
  if (tx.get('expiringSignatures', zoneId) !== undefined) tx.delete('expiringSignatures', zoneId)
}
