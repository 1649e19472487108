import type { Actor } from '../actor.ts'
import type { CollectionName } from '../model/collections.ts'
import { recordsetUnpacker } from '../model/packed-recordset.ts'
import type { Recordset } from '../model/recordset.ts'
import {
  type PlacedRecordset,
  type RecordsetRun,
  RunWriter,
  recordsetsOf,
  rowOrNone,
} from '../model/recordset-run.ts'
import { atOnce, type Steps } from '../time-slice.ts'
import { changesOfRun, PackedChange, PackedCommit } from './packed-change.ts'
import type { Change, Commit, PastCommit } from './store.ts'
import type { Row } from './table.ts'

// A commit as an entry of the log, whose number is its LSN:
//
//   octets of the head u32 | head as JSON | zeros up to a multiple of 4 | changes of recordsets | added recordsets
//
// The head has all but the recordsets, whole rows before and after each change. Changes of recordsets are a run
// (`model/recordset-run.ts`): two packed rows each, the one before and the one after, of no words where there is none.
// Recordsets that were added packed are runs as they came, of `addedWords` together.

type Head = {
  /** Microseconds since the Unix epoch. */
  readonly at: number
  readonly changes: readonly {
    readonly collection: CollectionName
    readonly id: string
    readonly before?: Row
    readonly after?: Row
  }[]
  /** How many of the changes precede those of recordsets. */
  readonly recordsetsAt?: number
  readonly addedWords?: number
  readonly actor?: Actor
  readonly facts?: unknown
}

const lengthOctets = 4
/** Changes processed between two checks whether other work should run. */
const changesPerStep = 16

/** The packed form of a recordset that is stored in this state; undefined if it is not. */
export type StoredRecordset = (row: Recordset) => PlacedRecordset | undefined

/** A commit as an entry. */
export function encodeCommit(commit: Omit<Commit, 'changes'>): Buffer {
  return Buffer.concat(atOnce(new CommitEncoder().entryOf(commit)))
}

/** Makes entries of commits, one after the other. */
export class CommitEncoder {
  readonly #writer = new RunWriter()
  readonly #stored: StoredRecordset

  constructor(stored: StoredRecordset = () => undefined) {
    this.#stored = stored
  }

  /** Encodes a commit as the pieces of an entry, in steps. Added runs become pieces unchanged. */
  *entryOf({
    atMicros,
    rowChanges,
    added,
    actor,
    facts,
  }: Omit<Commit, 'changes'>): Steps<readonly Buffer[]> {
    this.#writer.clear()
    const rows: Head['changes'][number][] = []
    const packedHere: PackedHere[] = []
    let recordsetsAt: number | undefined
    for (const [i, change] of rowChanges.entries()) {
      if (change.collection === 'recordsets' && isKnown(change)) {
        recordsetsAt ??= rows.length
        const at = this.#addRecordset(change)
        if (change.after !== undefined && change.packedAfter === undefined)
          packedHere.push({ change, at })
      } else rows.push(change as Head['changes'][number])
      if ((i + 1) % changesPerStep === 0) yield
    }
    const head: Head = {
      at: atMicros,
      changes: rows,
      ...(recordsetsAt !== undefined && { recordsetsAt }),
      ...(added.length > 0 && { addedWords: added.reduce((sum, { length }) => sum + length, 0) }),
      ...(actor !== undefined && { actor }),
      ...(facts !== undefined && { facts }),
    }
    const run = this.#writer.octets
    const first = join(JSON.stringify(head), run)
    noteWhereIn(first.subarray(first.length - run.length), packedHere)
    return [first, ...added.map(octetsOfRun)]
  }

  /** Returns where in the run the row after the change is. */
  #addRecordset(change: Change): number {
    const before = change.before as Recordset | undefined
    this.#writer.addOne(before, change.packedBefore ?? (before && this.#stored(before)))
    const at = this.#writer.wordCount + 1
    this.#writer.addOne(change.after as Recordset | undefined, change.packedAfter)
    return at
  }
}

/** A change whose row has been packed for an entry, and where in the run of the entry. */
type PackedHere = { readonly change: Change; readonly at: number }

/** Notes with changes the rows that their entry has packed: the tables take them as they are. */
function noteWhereIn(octets: Buffer, all: readonly PackedHere[]): void {
  if (all.length === 0) return
  const words = new Uint32Array(octets.buffer, octets.byteOffset, octets.length / 4)
  for (const { change, at } of all)
    change.packedAfter = { words, octets, at, wordCount: words[at - 1] as number }
}

/** Decodes the commit of an entry. Its recordsets share separate memory. */
export function decodeCommit(lsn: number, entry: Buffer): PastCommit {
  const { head, rows, changed, added } = partsOf(entry)
  const { at: atMicros, actor, facts, recordsetsAt = 0 } = head
  const changes = [...rows.slice(0, recordsetsAt), ...changed, ...rows.slice(recordsetsAt)]
  const all = added.length === 0 ? changes : [...changes, ...changesOfRun(added)]
  return { lsn, atMicros, changes: all, actor, facts }
}

/** As `decodeCommit`, in the form that the writer of the commit had: recordsets added packed stay packed. */
export function commitOfEntry(lsn: number, entry: Buffer): PackedCommit {
  const { head, rows, changed, added } = partsOf(entry)
  const { at: atMicros, actor, facts, recordsetsAt = 0 } = head
  const recordsets = changed.map(({ id, before, after }) => ({
    ...{ collection: 'recordsets' as const, id, before, after },
  }))
  const rowChanges = [...rows.slice(0, recordsetsAt), ...recordsets, ...rows.slice(recordsetsAt)]
  return new PackedCommit({ lsn, atMicros, rowChanges, added: runsByZone(added), actor, facts })
}

function partsOf(entry: Buffer) {
  const headEnd = lengthOctets + entry.readUInt32LE()
  const head = JSON.parse(entry.toString('utf8', lengthOctets, headEnd)) as Head
  const addedAt = entry.length - 4 * (head.addedWords ?? 0)
  return {
    head,
    rows: head.changes.map(row => ({ before: undefined, after: undefined, ...row }) as Change),
    changed: changedIn(entry.subarray(aligned(headEnd), addedAt)),
    added: runIn(entry.subarray(addedAt)),
  }
}

/** Splits a run into pieces of one zone each. */
function runsByZone(run: RecordsetRun): readonly RecordsetRun[] {
  const runs: RecordsetRun[] = []
  let zoneId: string | undefined
  let start = 0
  for (const record of recordsetsOf(run)) {
    const begins = record.at - 1
    const own = recordsetUnpacker.zoneIdOf(record)
    if (own !== zoneId && begins > start) runs.push(run.slice(start, begins))
    if (own !== zoneId) start = begins
    zoneId = own
  }
  if (run.length > start) runs.push(start === 0 ? run : run.slice(start))
  return runs
}

function join(head: string, run: Buffer): Buffer {
  const headOctets = Buffer.byteLength(head)
  const headEnd = lengthOctets + headOctets
  const runAt = aligned(headEnd)
  const entry = Buffer.allocUnsafe(runAt + run.length)
  entry.writeUInt32LE(headOctets)
  entry.write(head, lengthOctets)
  entry.fill(0, headEnd, runAt)
  run.copy(entry, runAt)
  return entry
}

function octetsOfRun({ buffer, byteOffset, byteLength }: RecordsetRun): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Whether a change has a row before or after it; for a deletion an earlier form of the log has only the id. */
function isKnown(change: Change): boolean {
  return (change.before ?? change.after) !== undefined
}

/** A copy of the octets of a run. */
export function runIn(octets: Buffer): RecordsetRun {
  const run = new Uint32Array(octets.length / 4)
  Buffer.from(run.buffer).set(octets)
  return run
}

function changedIn(octets: Buffer): readonly PackedChange[] {
  const rows = [...recordsetsOf(runIn(octets))]
  return Array.from({ length: rows.length / 2 }, (_, i) => {
    const [before, after] = rows.slice(2 * i, 2 * i + 2).map(rowOrNone)
    return new PackedChange(before, after)
  })
}

function aligned(octets: number): number {
  return Math.ceil(octets / 4) * 4
}
