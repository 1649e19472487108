import { flushCompileCache } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openSystemCalls } from './system-calls.ts'

// Modules and rows that are loaded at a start leave as much as a quarter of what stays as garbage, and neither V8 nor the C
// library gives it back by itself where nothing presses: a server that then only answers would hold it for good.

/** Collects all garbage of this thread. The thread stands still meanwhile: about a millisecond for each 1.5 MB that stays. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  setFlagsFromString('--no-expose-gc')
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** Frees what Node keeps of the compiled code that it has read from its cache (`NODE_COMPILE_CACHE`), 15 MB of a server that has
 *  started: it is in V8's heap by then. What the cache does not have yet is written to it, which Node otherwise does at the end.
 *  For this thread only. */
export function freeCompiledCode(): void {
  flushCompileCache()
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
