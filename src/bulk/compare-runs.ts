import { ifWellFormed } from '../dns/format-error.ts'
import { parseName } from '../dns/name.ts'
import { typeCode } from '../dns/rdata/index.ts'
import { isAliasAddress } from '../model/alias.ts'
import {
  hasOwnTexts,
  inheritsTtl,
  isManagedPacked,
  type PackedRecordset,
  packedOwner,
  recordsetUnpacker,
} from '../model/packed-recordset.ts'
import { recordKeyOf } from '../model/record-values.ts'
import type { Recordset } from '../model/recordset.ts'
import { joinRun, type RecordsetRun, recordsetsOf, runRecordsets } from '../model/recordset-run.ts'
import type { ImportChange, ImportDifference } from '../model/zone-import.ts'
import { Collected, shownRecordset } from './import-report.ts'
import { type OwnerKey, RunIndex } from './run-index.ts'

// The changes that turn the recordsets of a zone into others. Both are compared as octets; values are made only where
// octets do not decide, such as for records in another order.

/** When two recordsets of one owner and type count as the same:
 *  - file: the same TTL and records, in any spelling and order
 *  - copy: also the same spelling of the owner and of the records */
export type Sameness = 'file' | 'copy'

export type CompareInput = {
  readonly stored: readonly RecordsetRun[]
  /** The new recordsets, without duplicates. */
  readonly next: readonly RecordsetRun[]
  readonly sameness: Sameness
  /** Whether recordsets managed by the server stay if `next` does not have them. */
  readonly keepsManaged: boolean
  /** 32 random bits, unknown to the author of the names. */
  readonly hashSeed: number
}

export type RunDifference = {
  /** The input, returned. */
  readonly next: readonly RecordsetRun[]
  /** The numbers of the added recordsets in `next`, from 0 on. */
  readonly added: Uint32Array<ArrayBuffer>
  /** The added recordsets, packed, in runs that are written together. */
  readonly addedRuns: readonly RecordsetRun[]
  /** The ids of the stored recordsets that the changed ones replace. */
  readonly changedIds: readonly string[]
  readonly changedRun: RecordsetRun
  readonly removedIds: readonly string[]
  readonly shown: ImportDifference
}

/** Compares a zone with its new content, in time linear in both. */
export function compareRuns(input: CompareInput): RunDifference {
  const index = new RunIndex(input.next, input.hashSeed)
  const isKept = new Uint8Array(index.count)
  const shown = {
    added: new Collected<ImportChange>(),
    changed: new Collected<ImportChange>(),
    removed: new Collected<ImportChange>(),
  }
  const changed: number[] = []
  const changedIds: string[] = []
  const removedIds: string[] = []
  for (const run of input.stored) {
    for (const record of recordsetsOf(run)) {
      const key = keyOf(record)
      const number = key === undefined ? -1 : index.find(key)
      if (number >= 0) {
        isKept[number] = 1
        if (isUnchanged(record, index.at(number), input)) continue
        changed.push(number)
        changedIds.push(recordsetUnpacker.idOf(record))
        shown.changed.add(() => changeOf(record, index.at(number)))
      } else if (!input.keepsManaged || !isManaged(record)) {
        removedIds.push(recordsetUnpacker.idOf(record))
        shown.removed.add(() => changeOf(record, undefined))
      }
    }
  }
  const added = new Uint32Array(index.count - isKept.reduce((sum, one) => sum + one, 0))
  let addedCount = 0
  for (let number = 0; number < index.count; number += 1) {
    if (isKept[number] === 1) continue
    added[addedCount++] = number
    shown.added.add(() => changeOf(undefined, index.at(number)))
  }
  return {
    next: input.next,
    added,
    addedRuns: runsOf(index, added),
    changedIds,
    changedRun: joinRun(changed.map(number => index.at(number))),
    removedIds,
    shown: {
      added: shown.added.list(),
      changed: shown.changed.list(),
      removed: shown.removed.list(),
    },
  }
}

function runsOf(index: RunIndex, numbers: Uint32Array): RecordsetRun[] {
  const runs: RecordsetRun[] = []
  for (let from = 0; from < numbers.length; from += runRecordsets) {
    const some = numbers.subarray(from, from + runRecordsets)
    runs.push(joinRun(Array.from(some, number => index.at(number))))
  }
  return runs
}

function isManaged(record: PackedRecordset): boolean {
  return isManagedPacked(record) ?? recordsetUnpacker.unpack(record).isManaged
}

/** Undefined where a recordset has no name or type to find it by. */
function keyOf(record: PackedRecordset): OwnerKey | undefined {
  const known = packedOwner(record)
  if (known !== undefined) return known
  const row = recordsetUnpacker.unpack(record)
  const type = typeCode(row.type)
  const name = ifWellFormed(() => parseName(row.name))
  if (type === undefined || name === undefined) return undefined
  return { octets: Buffer.from(name, 'latin1'), ownerAt: 0, type }
}

/** An address that the server keeps for an ALIAS changes hands where `next` has it, even if its content is the same. */
function isUnchanged(
  stored: PackedRecordset,
  next: PackedRecordset,
  { sameness, keepsManaged }: CompareInput,
): boolean {
  const isKept = keepsManaged && isManaged(stored)
  if (isKept && isAliasAddress(recordsetUnpacker.unpackHead(stored))) return false
  return isSame(stored, next, sameness)
}

function isSame(stored: PackedRecordset, next: PackedRecordset, sameness: Sameness): boolean {
  if (hasSameOctets(stored, next, sameness)) return true
  const [row, other] = [recordsetUnpacker.unpack(stored), recordsetUnpacker.unpack(next)]
  if (row.ttlSeconds !== other.ttlSeconds || row.records.length !== other.records.length) {
    return false
  }
  if (sameness === 'copy' && row.name !== other.name) return false
  const keyOfRecord = (record: string) =>
    sameness === 'copy' ? record : recordKeyOf(other.type, record)
  const known = new Set(row.records.map(keyOfRecord))
  return other.records.every(record => known.has(keyOfRecord(record)))
}

/** Whether TTL and octets are equal; if false, the recordsets may still be the same. */
function hasSameOctets(left: PackedRecordset, right: PackedRecordset, sameness: Sameness): boolean {
  const a = recordsetUnpacker.rrsetOf(left, 0)
  const b = a && recordsetUnpacker.rrsetOf(right, 0)
  if (a === undefined || b === undefined) return false
  if (inheritsTtl(left) !== inheritsTtl(right) || a.ttlSeconds !== b.ttlSeconds) return false
  const isCopy = sameness === 'copy'
  if (isCopy && hasOwnTexts(left)) return false
  const fromA = isCopy ? a.ownerAt : a.rdatasAt
  const fromB = isCopy ? b.ownerAt : b.rdatasAt
  const length = a.rdatasEnd - fromA
  if (length !== b.rdatasEnd - fromB) return false
  for (let i = 0; i < length; i += 1) {
    if (a.octets[fromA + i] !== b.octets[fromB + i]) return false
  }
  return a.recordCount === b.recordCount
}

function changeOf(
  before: PackedRecordset | undefined,
  after: PackedRecordset | undefined,
): ImportChange {
  const [row, next] = [before, after].map(record => record && recordsetUnpacker.unpack(record))
  const { name, type } = (next ?? row) as Recordset
  const shownOf = (shown: Recordset | undefined) => (shown ? shownRecordset(shown) : null)
  return { name, type, before: shownOf(row), after: shownOf(next) }
}
