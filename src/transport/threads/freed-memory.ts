import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openSystemCalls } from './system-calls.ts'

// Loading a large store leaves a quarter as much again behind as it keeps, and neither V8 nor the C library gives it back
// by itself to a system that nobody else presses: a server that then only answers would hold it for good.

/** A smaller heap has nothing in it that is worth half a second of each start. */
const minHeapOctets = 128 * 1024 * 1024

/** Collects all garbage of this thread, if its heap has so many octets. The thread stands still meanwhile: about a
 *  millisecond for each 1.5 MB that stays. */
export function collectGarbage({ fromHeapOctets = minHeapOctets } = {}): void {
  if (getHeapStatistics().total_heap_size < fromHeapOctets) return
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Gives the system back what the C library has been given free, in some milliseconds; returns whether that was
 *  anything. Nothing where the C library is not known. */
export async function returnFreedMemory(): Promise<boolean> {
  try {
    const { malloc_trim: trim } = await openSystemCalls()
    return trim(0) === 1
  } catch {
    // It is memory that nobody needs; that there is no koffi is said elsewhere.
    return false
  }
}
