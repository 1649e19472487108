import type { RunDifference } from '../../bulk/compare-runs.ts'
import { types } from '../../dns/codes.ts'
import { lowerCaseName, type Name, parseName } from '../../dns/name.ts'
import { typeMnemonic } from '../../dns/rdata/index.ts'
import { rdataKey } from '../../dns/rdata/rdata-key.ts'
import { ownerNameText } from '../../model/owner-name.ts'
import type { Recordset } from '../../model/recordset.ts'
import { rrsetOf } from '../../model/recordset-rrset.ts'
import { type RecordsetRun, RunWriter, runRecordsets } from '../../model/recordset-run.ts'
import { knownSerial } from '../../model/refresh.ts'
import type { Zone } from '../../model/zone.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { nameDefects } from '../../zone/check-name.ts'
import { maxTypesPerName } from '../../zone/defect.ts'
import type { ReceivedDifference, RrsetDifference } from '../../zone/difference-in.ts'
import type { OwnedRrset, Rrset } from '../../zone/rrset.ts'
import { octetsOfRrset } from '../../zone/rrset-octets.ts'
import {
  isHarmless,
  maxRrsetOctets,
  recordHeaderOctets,
  type TransferQuota,
} from '../../zone/transfer-in.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'

// Applies a difference from a master (RFC 1995) to the stored copy. It is checked as strictly as a whole copy: records to
// remove must exist, records to add must not, and the result must be sound and within quota. Otherwise the whole zone has to
// be transferred.

/** Changes of the recordsets of the stored copy. */
export type DifferenceChanges = Pick<RunDifference, 'addedRuns' | 'changedRun' | 'removedIds'>

/** Undefined where the difference does not fit the copy. */
export async function differenceChanges(
  reader: StoreReader,
  zone: Zone,
  { difference, quota }: { readonly difference: ReceivedDifference; readonly quota: TransferQuota },
): Promise<DifferenceChanges | undefined> {
  if (knownSerial(zone) !== difference.fromSerial) return undefined
  const changed = new ChangedCopy(reader, zone, quota)
  const slice = new TimeSlice()
  for (const rrset of difference.rrsets) {
    if (!changed.apply(rrset)) return undefined
    if (slice.isSpent) await slice.yield()
  }
  for (const owner of changed.owners) {
    if (!changed.isSound(owner)) return undefined
    if (slice.isSpent) await slice.yield()
  }
  return changed.isWithinQuota ? changed.changes() : undefined
}

/** The stored copy with the changes made so far. */
class ChangedCopy {
  readonly #reader: StoreReader
  readonly #zone: Zone
  readonly #quota: TransferQuota
  readonly #apex: Name
  readonly #added = new RunWriter()
  readonly #addedRuns: RecordsetRun[] = []
  readonly #changed = new RunWriter()
  readonly #removedIds: string[] = []
  /** The RRsets of each changed type at changed names, by owner in lower case. */
  readonly #rrsets = new Map<Name, Map<number, Rrset | undefined>>()
  #recordsetCount: number
  #recordCount: number

  constructor(reader: StoreReader, zone: Zone, quota: TransferQuota) {
    this.#reader = reader
    this.#zone = zone
    this.#quota = quota
    this.#apex = lowerCaseName(parseName(zone.name))
    this.#recordsetCount = reader.count('recordsets', 'byZone', zone.id)
    this.#recordCount = reader.sum('recordsets', 'managedRecordsOfZone', zone.id)
  }

  get owners(): Iterable<Name> {
    return this.#rrsets.keys()
  }

  get isWithinQuota(): boolean {
    const { maxRrsets, maxRecords } = this.#quota
    return this.#recordsetCount <= maxRrsets && this.#recordCount <= maxRecords
  }

  changes(): DifferenceChanges {
    if (this.#added.count > 0) this.#addedRuns.push(this.#added.take())
    const changedRun = this.#changed.take()
    return { addedRuns: this.#addedRuns, changedRun, removedIds: this.#removedIds }
  }

  /** Returns false for a difference that does not fit. */
  apply(difference: RrsetDifference): boolean {
    const { type } = difference
    const owner = lowerCaseName(difference.owner)
    const row = this.#find(owner, type)
    const before = row && storedRrset(row)
    if (row !== undefined && before === undefined) return false
    const after = type === types.SOA ? newRrset(difference) : changedRrset(before, difference)
    if (after === undefined || !this.#fitsAnswer(owner, after)) return false
    this.#note(owner, after)
    this.#recordCount += after.rdatas.length - (before?.rdatas.length ?? 0)
    this.#write(row, { ...after, owner: before?.owner ?? difference.owner })
    return true
  }

  /** Whether the name can be served. */
  isSound(owner: Name): boolean {
    const changed = this.#rrsets.get(owner) ?? new Map<number, Rrset | undefined>()
    const rrsets: Rrset[] = [...changed.values()].flatMap(rrset => rrset ?? [])
    const key = keyOf(this.#zone.id, ownerNameText(owner))
    for (const row of this.#reader.list('recordsets', 'byOwner', key)) {
      const rrset = storedRrset(row)
      if (rrset !== undefined && !changed.has(rrset.type)) rrsets.push(rrset)
    }
    const isApex = owner === this.#apex
    if (rrsets.length > maxTypesPerName) return false
    if (isApex && !rrsets.some(({ type }) => type === types.NS)) return false
    return nameDefects({ owner, isApex, rrsets }).every(isHarmless)
  }

  #find(owner: Name, type: number): Recordset | undefined {
    const owned = { name: ownerNameText(owner), type: typeMnemonic(type) }
    return findRecordsetOf(this.#reader, this.#zone, owned)
  }

  #fitsAnswer(owner: Name, { type, rdatas }: Rrset): boolean {
    const octets = rdatas.reduce((sum, rdata) => sum + rdata.length + recordHeaderOctets, 0)
    const isOfServer = owner === this.#apex && (type === types.SOA || type === types.NS)
    const isWithinQuota = isOfServer || rdatas.length <= this.#quota.maxRrsetRecords
    return octets <= maxRrsetOctets && isWithinQuota
  }

  #note(owner: Name, rrset: Rrset): void {
    const rrsets = this.#rrsets.get(owner) ?? new Map<number, Rrset | undefined>()
    this.#rrsets.set(owner, rrsets)
    rrsets.set(rrset.type, rrset.rdatas.length === 0 ? undefined : rrset)
  }

  #write(row: Recordset | undefined, rrset: OwnedRrset): void {
    const { owner, ttlSeconds } = rrset
    if (rrset.rdatas.length === 0) {
      if (row === undefined) return
      this.#removedIds.push(row.id)
      this.#recordsetCount -= 1
      return
    }
    const octets = octetsOfRrset(owner, rrset)
    const own = { isManaged: true, ttlSeconds }
    if (row !== undefined) {
      this.#changed.addRrset(octets, own)
      return
    }
    this.#added.addRrset(octets, own)
    this.#recordsetCount += 1
    if (this.#added.count === runRecordsets) this.#addedRuns.push(this.#added.take())
  }
}

function storedRrset(row: Recordset): OwnedRrset | undefined {
  const { rrset, problem } = rrsetOf(row, { ttlSeconds: row.ttlSeconds })
  return problem === undefined ? rrset : undefined
}

function newRrset({ type, records }: RrsetDifference): Rrset {
  const [{ ttlSeconds } = { ttlSeconds: 0 }] = records
  return { type, ttlSeconds, rdatas: records.map(({ rdata }) => rdata) }
}

/** Undefined where a record to remove is missing, or one to add exists already. An RRset without records counts as none. */
function changedRrset(
  before: Rrset | undefined,
  { type, records }: RrsetDifference,
): Rrset | undefined {
  const rdatas = new Map(before?.rdatas.map(rdata => [rdataKey(type, rdata), rdata]))
  const ttls: number[] = []
  let keptCount = rdatas.size
  for (const { rdata, ttlSeconds, wasThere, isThere } of records) {
    const key = rdataKey(type, rdata)
    if (rdatas.has(key) !== wasThere) return undefined
    if (wasThere) keptCount -= 1
    if (!isThere) rdatas.delete(key)
    if (!isThere) continue
    rdatas.set(key, rdata)
    ttls.push(ttlSeconds)
  }
  // RFC 2181 section 5.2: TTLs that differ within an RRset are an error; the lowest harms least.
  if (before !== undefined && keptCount > 0) ttls.push(before.ttlSeconds)
  return { type, ttlSeconds: Math.min(...ttls, maxTtlSeconds), rdatas: [...rdatas.values()] }
}

const maxTtlSeconds = 2 ** 31 - 1
