import { type PackedRecordset, recordsetUnpacker } from '../model/packed-recordset.ts'
import { isComplete, type Zone } from '../model/zone.ts'
import type { Change, PastCommit, StoreReader } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { RecordsetChanges } from './zone-changes.ts'

/** Operations on the served zones. */
export type ServedZones = {
  served(zone: Zone): TableZone | undefined
  withdraw(zone: Zone): void
  setState(served: TableZone, zone: Zone): void
  put(zone: Zone, served: TableZone, record: PackedRecordset): void
  remove(zone: Zone, served: TableZone, changes: RecordsetChanges): void
}

/** Updates a table of an earlier moment to what is stored now. Only the final state of a zone counts, not the states in between;
 *  no query is answered meanwhile. */
export class CatchUp {
  /** Zones that are not served, or not as they are stored. */
  readonly unservedZoneIds = new Set<string>()
  /** Zones served from a copy that is being replaced. */
  readonly replacedZoneIds = new Set<string>()
  readonly #store: Pick<StoreReader, 'get'>
  readonly #zones: ServedZones
  /** Zones to which recordsets are put, by id. */
  readonly #current = new Map<
    string,
    { readonly zone: Zone; readonly served: TableZone } | undefined
  >()

  constructor(store: Pick<StoreReader, 'get'>, zones: ServedZones) {
    this.#store = store
    this.#zones = zones
  }

  /** @param commits walked over twice */
  async run(commits: Iterable<PastCommit>): Promise<void> {
    this.#changeZones(firstRows(commits))
    const slice = new TimeSlice()
    for (const { changes } of commits) {
      const recordsets = changes.filter(({ collection }) => collection === 'recordsets')
      // Another recordset may have taken the place of a removed one.
      for (const change of recordsets) if (change.packedAfter === undefined) this.#remove(change)
      for (const { packedAfter } of recordsets) {
        if (packedAfter === undefined) continue
        const current = this.#currentOf(recordsetUnpacker.zoneIdOf(packedAfter))
        if (current !== undefined) this.#zones.put(current.zone, current.served, packedAfter)
        if (slice.isSpent) await slice.yield()
      }
    }
  }

  /** @param before the first states of the rows of changed zones; undefined for new zones */
  #changeZones(before: ReadonlyMap<string, Zone | undefined>): void {
    for (const [id, zone] of before) {
      if (zone === undefined || zone.isDeleting) continue
      const after = this.#store.get('zones', id)
      if (after === undefined || after.isDeleting || after.poolId !== zone.poolId)
        this.#zones.withdraw(zone)
    }
    for (const [id, zone] of before) {
      const after = this.#store.get('zones', id)
      if (after === undefined || after.isDeleting) continue
      const served = this.#zones.served(after)
      if (served === undefined || (zone !== undefined && !isMadeAlike(zone, after)))
        this.unservedZoneIds.add(id)
      else this.#zones.setState(served, after)
    }
  }

  #remove(change: Change): void {
    if (change.packedBefore === undefined) return
    const current = this.#currentOf(recordsetUnpacker.zoneIdOf(change.packedBefore))
    const changes = [change] as RecordsetChanges
    if (current !== undefined) this.#zones.remove(current.zone, current.served, changes)
  }

  #currentOf(zoneId: string) {
    if (!this.#current.has(zoneId)) this.#current.set(zoneId, this.#findCurrent(zoneId))
    return this.#current.get(zoneId)
  }

  #findCurrent(zoneId: string) {
    const zone = this.#store.get('zones', zoneId)
    if (zone === undefined || zone.isDeleting || this.unservedZoneIds.has(zoneId)) return undefined
    const served = this.#zones.served(zone)
    if (served === undefined) this.unservedZoneIds.add(zoneId)
    else if (isComplete(zone)) return { zone, served }
    else this.replacedZoneIds.add(zoneId)
    return undefined
  }
}

/** Whether two versions of a zone differ, as served, at most in their recordsets. */
function isMadeAlike(one: Zone, other: Zone): boolean {
  return one.ttlSeconds === other.ttlSeconds && one.dnssec?.signedAt === other.dnssec?.signedAt
}

function firstRows(commits: Iterable<PastCommit>): ReadonlyMap<string, Zone | undefined> {
  const first = new Map<string, Zone | undefined>()
  for (const { changes } of commits) {
    for (const change of changes) {
      if (change.collection === 'zones' && !first.has(change.id))
        first.set(change.id, change.before as Zone | undefined)
    }
  }
  return first
}
