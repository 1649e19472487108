import { hashStep } from '../hash.ts'
import { isJson, packedPlaces, recordsetUnpacker } from '../model/packed-recordset.ts'
import { type PlacedRecordset, recordsetAt } from '../model/recordset-run.ts'
import { uuidWords, writeUuid } from '../model/uuid-words.ts'
import type { Steps } from '../time-slice.ts'
import type { Change, Commit, ZoneCommit } from './store.ts'

// Which zones a segment of the log has changes of, a row for each zone of each commit. A segment has some thousands, so one zone's
// are found by looking at the keys of all: that takes some microseconds, and there is nothing to keep in order.

/** A commit with a change of a zone, as the index has it.
 *  `at`: octets in front of the batch in its segment. */
export type ZoneCommitRow = Omit<ZoneCommit, 'place'> & { readonly at: number }

/** A commit as one that is made and one that is read have it; what is `added` comes beside the changes. */
type IndexedCommit = Pick<Commit, 'lsn' | 'atMicros' | 'changes'> & Partial<Pick<Commit, 'added'>>

const columns = { key: 0, lsn: 1, atMicros: 2, at: 3, octets: 4, serial: 5, count: 6 } as const
const noSerial = -1

const scratch = new Uint32Array(uuidWords)

/** The key that zones and projects are found by. Two may rarely share one, so the commits found have to be checked. */
export function zoneKeyOf(id: string): number {
  if (writeUuid(scratch, 0, id)) return keyOfWords(scratch, 0)
  let hash = 0
  for (let i = 0; i < id.length; i += 1) hash = hashStep(hash, id.charCodeAt(i))
  return hash >>> 0
}

/** 53 bits of an id. */
function keyOfWords(words: Uint32Array, at: number): number {
  return (words[at] as number) * 2 ** 21 + ((words[at + 1] as number) >>> 11)
}

/** The zones that entries of a segment have changes of, as far as the entries have been noted. */
export class ZoneCommits {
  #rows = new Float64Array(0)
  #end = 0
  /** For each deleted zone the key of its project and the place of its row, alternating. */
  #deletions: number[] = []

  /** Prepends the commits noted of earlier entries. */
  prepend(earlier: ZoneCommits): void {
    const rows = new Float64Array(earlier.#end + this.#end)
    rows.set(earlier.#rows.subarray(0, earlier.#end))
    rows.set(this.#rows.subarray(0, this.#end), earlier.#end)
    const later = this.#deletions.map((each, i) => (i % 2 === 0 ? each : each + earlier.#end))
    this.#deletions = [...earlier.#deletions, ...later]
    this.#rows = rows
    this.#end = rows.length
  }

  /** Appends a commit, in steps.
   *  @param place in the log */
  *add(
    { lsn, atMicros, changes, added = [] }: IndexedCommit,
    place: { readonly at: number; readonly octetCount: number },
  ): Steps<void> {
    const serials = new Map<number, number>()
    const projects = new Map<number, number>()
    let lastKey: number | undefined
    for (const [i, change] of changes.entries()) {
      const key = zoneKeyOfChange(change)
      if (change.collection === 'zones' && key !== undefined) {
        const { before, after } = change
        serials.set(key, after?.serial ?? noSerial)
        // An earlier form of the log does not record whose a deleted zone was.
        if (before !== undefined && after === undefined)
          projects.set(key, zoneKeyOf(before.projectId))
      } else if (key !== undefined && key !== lastKey && !serials.has(key))
        serials.set(key, noSerial)
      lastKey = key
      if ((i + 1) % 1024 === 0) yield
    }
    for (const run of added) {
      const key = zoneKeyOfPacked(recordsetAt(run, 0))
      if (!serials.has(key)) serials.set(key, noSerial)
    }
    for (const [key, serial] of serials) {
      const project = projects.get(key)
      if (project !== undefined) this.#deletions.push(project, this.#end)
      this.#push([key, lsn, atMicros, place.at, place.octetCount, serial])
    }
  }

  /** Newest first. */
  *of(key: number): Generator<ZoneCommitRow> {
    for (let row = this.#end - columns.count; row >= 0; row -= columns.count) {
      if (this.#rows[row] === key) yield this.#rowAt(row)
    }
  }

  /** The commits that deleted a zone of the project, or of any project if none is given, newest first; very rarely one of another. */
  *deletionsOf(projectId: string | undefined): Generator<ZoneCommitRow> {
    const wanted = projectId === undefined ? undefined : zoneKeyOf(projectId)
    for (let at = this.#deletions.length - 2; at >= 0; at -= 2) {
      const [project, row = 0] = this.#deletions.slice(at, at + 2)
      if (wanted === undefined || project === wanted) yield this.#rowAt(row)
    }
  }

  /** The commits of the zones of a project, newest first; very rarely one of another.
   *  @param keys of its zones; those of zones that it has deleted are added as they are found */
  *ofProject(projectId: string, keys: Set<number>): Generator<ZoneCommitRow> {
    const project = zoneKeyOf(projectId)
    let deletion = this.#deletions.length - 2
    for (let row = this.#end - columns.count; row >= 0; row -= columns.count) {
      const key = this.#rows[row] as number
      if (this.#deletions[deletion + 1] === row) {
        if (this.#deletions[deletion] === project) keys.add(key)
        deletion -= 2
      }
      if (keys.has(key)) yield this.#rowAt(row)
    }
  }

  #rowAt(row: number): ZoneCommitRow {
    const [, lsn = 0, atMicros = 0, at = 0, octetCount = 0, serial = noSerial] =
      this.#rows.subarray(row, row + columns.count)
    return { lsn, atMicros, at, octetCount, serial: serial === noSerial ? undefined : serial }
  }

  #push(row: readonly number[]): void {
    if (this.#end === this.#rows.length) {
      const larger = new Float64Array(Math.max(2 * this.#end, 32 * columns.count))
      larger.set(this.#rows)
      this.#rows = larger
    }
    this.#rows.set(row, this.#end)
    this.#end += columns.count
  }
}

function zoneKeyOfChange(change: Change): number | undefined {
  if (change.collection === 'zones') return zoneKeyOf(change.id)
  if (change.collection !== 'recordsets' && change.collection !== 'zoneShares') return undefined
  const packed = change.packedAfter ?? change.packedBefore
  if (packed !== undefined) return zoneKeyOfPacked(packed)
  const row = change.after ?? change.before
  return row && zoneKeyOf(row.zoneId)
}

function zoneKeyOfPacked(packed: PlacedRecordset): number {
  return isJson(packed)
    ? zoneKeyOf(recordsetUnpacker.zoneIdOf(packed))
    : keyOfWords(packed.words, packed.at + packedPlaces.zoneId)
}
