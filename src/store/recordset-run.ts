import type { Recordset } from '../model/recordset.ts'
import { RecordsetPacker } from './packed-recordset.ts'

// Many record sets in one piece of memory that a thread can give away: each as it is kept in `record-pages.ts`, behind
// the number of its words.

/** Record sets, packed one behind the other. */
export type RecordsetRun = Uint32Array<ArrayBuffer>

const packer = new RecordsetPacker()
/** What most record sets take at most. */
const usualWords = 48

export function packRun(recordsets: readonly Recordset[]): RecordsetRun {
  let run = new Uint32Array(usualWords * recordsets.length)
  let end = 0
  for (const recordset of recordsets) {
    packer.pack(recordset)
    const { words, wordCount } = packer
    if (end + 1 + wordCount > run.length) run = enlarged(run, end + 1 + wordCount)
    run[end] = wordCount
    run.set(words.subarray(0, wordCount), end + 1)
    end += 1 + wordCount
  }
  return run.subarray(0, end)
}

/** Where each record set of a run begins, and its words. */
export function* placesIn(run: RecordsetRun): Generator<{ readonly at: number; count: number }> {
  for (let at = 0; at < run.length; ) {
    const count = run[at] ?? 0
    yield { at: at + 1, count }
    at += 1 + count
  }
}

function enlarged(run: RecordsetRun, wordCount: number): RecordsetRun {
  const larger = new Uint32Array(2 * wordCount)
  larger.set(run)
  return larger
}
