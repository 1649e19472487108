import { lowerCaseName, parseName } from '../dns/name.ts'
import { formatRdata, typeCode, typeMnemonic } from '../dns/rdata/index.ts'
import { ownerNameText } from '../model/owner-name.ts'
import { withRecords } from '../model/record-marks.ts'
import type { Recordset } from '../model/recordset.ts'
import { type RecordsetRun, RunWriter } from '../model/recordset-run.ts'
import type { Stamped } from '../model/stamped.ts'
import type { Zone } from '../model/zone.ts'
import { keyOf } from '../store/indexes.ts'
import type { StoreReader, Transaction } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import type { OwnedRrset } from '../zone/rrset.ts'
import type { ZoneCopy } from '../zone/transfer-in.ts'
import { rowPages } from './row-pages.ts'
import { changedRow, newStamps } from './zone-rows.ts'

/** What a master says of one record set. */
export type RecordsetContent = Pick<Recordset, 'name' | 'type' | 'ttlSeconds' | 'records'>

/** What must change for the stored record sets to be those of a copy. */
export type CopyChanges = {
  /** New, or in place of what is stored. */
  readonly put: readonly RecordsetContent[]
  readonly removed: readonly Recordset[]
}

/** As `CopyChanges`, with what is put by its numbers in the copy: of a large one, all at once would be too much. */
export type CopyDifference = {
  readonly put: Uint32Array
  readonly removed: readonly Recordset[]
}

/** Holds a copy against what is stored of the zone, in slices. Records are compared without their order,
 *  which says nothing. */
export async function compareCopy(
  store: StoreReader,
  zoneId: string,
  copy: ZoneCopy,
): Promise<CopyDifference> {
  const put = new Uint32Array(copy.rrsetCount)
  const isFirst = store.count('recordsets', 'byZone', zoneId) === 0
  let putCount = 0
  let keptCount = 0
  const slice = new TimeSlice()
  for (let index = 0; index < copy.rrsetCount; index += 1) {
    const content = isFirst ? undefined : contentOf(copy.rrsetAt(index))
    const row = content && findRow(store, zoneId, content)
    if (row !== undefined) keptCount += 1
    if (content === undefined || row === undefined || !isSame(row, content)) {
      put[putCount] = index
      putCount += 1
    }
    if (slice.isSpent) await slice.rest()
  }
  const isAllKept = store.count('recordsets', 'byZone', zoneId) === keptCount
  return {
    put: put.subarray(0, putCount),
    removed: isAllKept ? [] : await removedRows(store, zoneId, copy),
  }
}

/** What a copy says of these record sets, by their numbers. */
export function contentsOf(copy: ZoneCopy, indexes: Uint32Array): RecordsetContent[] {
  return Array.from(indexes, index => contentOf(copy.rrsetAt(index)))
}

/** The same as a run of new record sets. */
export function runOf(copy: ZoneCopy, indexes: Uint32Array): RecordsetRun {
  const writer = new RunWriter()
  for (const index of indexes) {
    const rrset = copy.octetsAt(index)
    writer.addRrset(rrset, { isManaged: true, ttlSeconds: rrset.ttlSeconds })
  }
  return writer.take()
}

/** Writes changes of a zone's record sets as part of a transaction. */
export function writeCopyChanges(tx: Transaction, zone: Zone, changes: CopyChanges): void {
  for (const row of changes.removed) tx.delete('recordsets', row.id)
  const stamps = newStamps(tx, changes.put.length)
  for (const [i, content] of changes.put.entries()) {
    // An administrator may have put one there since the copy was compared.
    const row = findRow(tx, zone.id, content)
    tx.put(
      'recordsets',
      row === undefined
        ? {
            ...(stamps[i] as Stamped),
            ...content,
            zoneId: zone.id,
            description: null,
            isManaged: true,
          }
        : changedRow(tx, row, {
            ...content,
            ...withRecords(row, content.records, tx.atMicros),
            isManaged: true,
          }),
    )
  }
}

async function removedRows(
  store: StoreReader,
  zoneId: string,
  copy: ZoneCopy,
): Promise<Recordset[]> {
  const removed: Recordset[] = []
  const slice = new TimeSlice()
  for (const page of rowPages(store, 'recordsets', { index: 'byZone', key: zoneId })) {
    for (const row of page) if (!isInCopy(copy, row)) removed.push(row)
    if (slice.isSpent) await slice.rest()
  }
  return removed
}

function isInCopy(copy: ZoneCopy, row: Recordset): boolean {
  const type = typeCode(row.type)
  return type !== undefined && copy.has(lowerCaseName(parseName(row.name)), type)
}

function contentOf({ owner, type, ttlSeconds, rdatas }: OwnedRrset): RecordsetContent {
  return {
    name: ownerNameText(owner),
    type: typeMnemonic(type),
    ttlSeconds,
    records: rdatas.map(rdata => formatRdata(type, rdata)),
  }
}

function findRow(
  reader: StoreReader,
  zoneId: string,
  { name, type }: RecordsetContent,
): Recordset | undefined {
  return reader.find('recordsets', 'byNameAndType', keyOf(zoneId, name.toLowerCase(), type))
}

function isSame(row: Recordset, content: RecordsetContent): boolean {
  return (
    row.ttlSeconds === content.ttlSeconds &&
    row.name === content.name &&
    hasSameRecords(row.records, content.records)
  )
}

function hasSameRecords(left: readonly string[], right: readonly string[]): boolean {
  if (left.length !== right.length) return false
  if (left.every((record, i) => record === right[i])) return true
  const sorted = right.toSorted()
  return left.toSorted().every((record, i) => record === sorted[i])
}
