import { isNewerSerial } from '../dns/serial.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { PlacedRecordset } from '../model/recordset-run.ts'
import { isComplete, type Zone } from '../model/zone.ts'
import type { PastCommit, Store, ZoneCommit } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import { type DifferenceAnswer, type RrsetChange, ZoneDifference } from '../zone/difference.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import { rrsetOfPacked } from './recordset-edits.ts'

type HistoryReader = Pick<Store, 'zoneCommits' | 'readCommits' | 'sum'>

/** Octets of the log to read for one difference at most: a difference of this size costs less memory and time than many a zone. */
const defaultMaxLoggedOctets = 16 * 1024 * 1024
/** Octets of the log that cost as much to read as a record of the zone costs to send; and octets that are read in any case. */
const octetsPerRecord = 2048
const leastOctets = 512 * 1024

/** What has changed of zones since an earlier serial, from the history of the store. */
export class ZoneDifferences {
  readonly #store: HistoryReader

  constructor(store: HistoryReader) {
    this.#store = store
  }

  /** The changes up to the served version; undefined if they are no longer known, would be no smaller than the zone, or take
   *  more than `maxLoggedOctets` of the log to find. */
  async since(
    zone: Zone,
    serial: number,
    maxLoggedOctets = defaultMaxLoggedOctets,
  ): Promise<DifferenceAnswer | undefined> {
    const { id, raisedTo } = zone
    if (raisedTo !== undefined && isNewerSerial(raisedTo, serial)) return undefined
    const recordCount =
      this.#store.sum('recordsets', 'recordsOfZone', id) +
      this.#store.sum('recordsets', 'managedRecordsOfZone', id)
    const worthOctets = leastOctets + octetsPerRecord * recordCount
    const wanted = await this.#commitsSince(id, serial, Math.min(maxLoggedOctets, worthOctets))
    if (wanted === undefined) return undefined
    const merged = new MergedCommits(zone, serial)
    const slice = new TimeSlice()
    for await (const commit of this.#store.readCommits(wanted)) {
      if (!merged.add(commit)) return undefined
      if (slice.isSpent) await slice.yield()
    }
    const answer = merged.commitCount === wanted.length ? merged.answer() : undefined
    if (answer?.fromSerial !== serial || answer.recordCount > recordCount) return undefined
    return answer
  }

  /** Oldest first; undefined if they do not reach back to the serial, or are too much to read. */
  async #commitsSince(
    zoneId: string,
    serial: number,
    maxLoggedOctets: number,
  ): Promise<readonly ZoneCommit[] | undefined> {
    let octetsLeft = maxLoggedOctets
    const found: ZoneCommit[] = []
    /** Number of commits in `found` after the one that made the serial, as far as known. */
    let count: number | undefined
    for await (const commit of this.#store.zoneCommits(zoneId)) {
      if (commit.serial === serial) count = found.length
      else if (count !== undefined && commit.serial !== undefined) break
      if (count === undefined) octetsLeft -= commit.octetCount
      if (octetsLeft < 0) return undefined
      found.push(commit)
    }
    return count === undefined ? undefined : found.slice(0, count).toReversed()
  }
}

/** The commits of a zone after a version, merged into one change. */
class MergedCommits {
  /** As it is served. */
  readonly #served: Zone
  readonly #serial: number
  readonly #difference = new ZoneDifference()
  #zone: Zone | undefined
  commitCount = 0

  constructor(served: Zone, serial: number) {
    this.#served = served
    this.#serial = serial
  }

  /** Undefined unless the last of them is a served version. */
  answer(): DifferenceAnswer | undefined {
    return this.#zone && isComplete(this.#zone) ? this.#difference.answer() : undefined
  }

  /** Returns false for a commit that cannot be expressed as a difference. */
  add({ changes }: PastCommit): boolean {
    this.commitCount += 1
    const rrsets: RrsetChange[] = []
    for (const change of changes) {
      if (change.collection === 'zones' && change.id === this.#served.id) {
        if (!this.#takeZone(change.before, change.after)) return false
      }
      if (change.collection !== 'recordsets') continue
      const { packedBefore, packedAfter } = change
      const packed = packedAfter ?? packedBefore
      // An earlier form of the log does not contain the state before.
      if (packed === undefined) return false
      if (recordsetUnpacker.zoneIdOf(packed) !== this.#served.id) continue
      rrsets.push({ before: this.#rrsetOf(packedBefore), after: this.#rrsetOf(packedAfter) })
    }
    this.#difference.add(rrsets)
    return true
  }

  /** A new TTL of the zone changes recordsets that are not among the changes. */
  #takeZone(before: Zone | undefined, after: Zone | undefined): boolean {
    if (before === undefined || after === undefined) return false
    const known = this.#zone
    this.#zone = after
    // Signatures that are made here are in no commit.
    if (before.dnssec !== undefined || after.dnssec !== undefined) return false
    const { ttlSeconds } = this.#served
    if (after.ttlSeconds !== ttlSeconds || before.ttlSeconds !== ttlSeconds) return false
    return known === undefined
      ? before.serial === this.#serial && isComplete(before)
      : known.version === before.version
  }

  #rrsetOf(packed: PlacedRecordset | undefined): OwnedRrset | undefined {
    return packed && rrsetOfPacked(packed, this.#served).rrset
  }
}
