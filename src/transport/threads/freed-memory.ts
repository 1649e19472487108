import { existsSync, writeFileSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
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

/** In the directory of Node's compile cache when a server has left there all that it had compiled. */
const wholeCache = 'zonewright-is-whole'

/** Frees what Node keeps of the compiled code that it has read from its cache (`NODE_COMPILE_CACHE`), 15 MB of a server that has
 *  started: it is in V8's heap by then. For this thread only, and not before `keepCompiledCode`: what the cache does not have
 *  would be written to it now, a file for each module, which can take a slow disk half a minute. */
export function freeCompiledCode(): void {
  const directory = getCompileCacheDir()
  if (directory !== undefined && existsSync(join(directory, wholeCache))) flushCompileCache()
}

/** Writes to the cache what it does not have, as Node does at the end, and notes that it is whole. */
export function keepCompiledCode(): void {
  const directory = getCompileCacheDir()
  if (directory === undefined) return
  flushCompileCache()
  try {
    writeFileSync(join(directory, wholeCache), '')
  } catch {
    // A cache that cannot be written to is for speed alone.
  }
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
