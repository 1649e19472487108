import { memoryAdvice, pageOctets } from './layout.ts'
import { openSystemCalls, type SystemCalls } from './system-calls.ts'

// The zone table is read at random, and the processor caches the addresses of a limited number of pages. With pages of
// 4 kB the cache is exceeded at some ten thousand names, which doubles the cost of a lookup; with pages of 2 MB only at
// millions. Systems provide large pages on request ("madvise", the default of most distributions).

/** Asks the system to back shared memory with large pages from now on; returns whether it will. Must be called before
 *  the memory is filled. Takes no memory itself, but touched memory is then rounded up to 2 MB. */
export async function adviseHugePages(memory: SharedArrayBuffer): Promise<boolean> {
  try {
    return advise(await openSystemCalls(), memory)
  } catch {
    // Small pages work too, only slower; the absence of koffi is reported elsewhere.
    return false
  }
}

function advise(calls: SystemCalls, memory: SharedArrayBuffer): boolean {
  const page = BigInt(pageOctets)
  const start = calls.addressOf(new Uint8Array(memory))
  const firstPage = ((start + page - 1n) / page) * page
  const octets = start + BigInt(memory.byteLength) - firstPage
  return octets > 0n && calls.madvise(firstPage, octets, memoryAdvice.hugePages) === 0
}
