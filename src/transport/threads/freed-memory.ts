import { existsSync, writeFileSync } from 'node:fs'
import { flushCompileCache, getCompileCacheDir } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openSystemCalls } from './system-calls.ts'

// Loading modules and rows at a start leaves garbage of as much as a quarter of the memory that stays in use. Neither V8
// nor the C library returns it without memory pressure, so a server that then only answers would keep it indefinitely.

/** Collects all garbage of this thread, which is blocked for about a millisecond per 1.5 MB of live memory. */
export function collectGarbage(): void {
  // The flag stays set: it is one for all threads, and another may be about to look for the function.
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

/** A file in the directory of Node's compile cache, present once a server has written all its compiled code there. */
const wholeCache = 'zonewright-is-whole'

/** Frees Node's copy of the compiled code from its cache (`NODE_COMPILE_CACHE`), 15 MB after a server has started, since V8's
 *  heap has the code by then. For this thread only, and only after `keepCompiledCode`: otherwise code that the cache lacks
 *  would be written now, one file per module, which can take half a minute on a slow disk. */
export function freeCompiledCode(): void {
  const directory = getCompileCacheDir()
  if (directory !== undefined && existsSync(join(directory, wholeCache))) flushCompileCache()
}

/** Writes missing code to the cache, as Node does at exit, and marks the cache as complete. */
export function keepCompiledCode(): void {
  const directory = getCompileCacheDir()
  if (directory === undefined) return
  flushCompileCache()
  try {
    writeFileSync(join(directory, wholeCache), '')
  } catch {
    // The cache only improves speed, so a failed write is ignored.
  }
}

/** Returns memory that the C library holds as free to the system, in a few milliseconds; the result is whether there was
 *  any. Does nothing where the C library is not known. */
export async function returnFreedMemory(): Promise<boolean> {
  try {
    const { malloc_trim: trim } = await openSystemCalls()
    return trim(0) === 1
  } catch {
    // Only unused memory stays allocated; the absence of koffi is reported elsewhere.
    return false
  }
}
