import { memoryAdvice, pageOctets } from './layout.ts'
import { openSystemCalls, type SystemCalls } from './system-calls.ts'

// The zone table is read at random, and the processor remembers where only so many pages are: with pages of 4 kB
// it forgets at some ten thousand names, and looking up costs as much again. With pages of 2 MB it does not
// forget before millions. Systems give them to whoever asks ("madvise", the default of most distributions).

/** Asks the system to back shared memory with large pages from now on; returns whether it will. To be called before
 *  the memory is filled. Takes no memory, but what is touched is then rounded up to 2 MB. */
export async function adviseHugePages(memory: SharedArrayBuffer): Promise<boolean> {
  try {
    return advise(await openSystemCalls(), memory)
  } catch {
    // Small pages do as well, only not as fast, and that there is no koffi is said elsewhere.
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
