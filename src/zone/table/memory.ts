import { maxWords, pageWords } from './layout.ts'

/** Octets are read through windows: an index beyond 31 bits costs several times as much. */
const windowShift = 28
const windowWords = 1 << windowShift
const wordOctets = 4
/** The least useful size of a table. */
const minOctets = 2 ** 24

/** The memory of a zone table, as words and as octets. A block never crosses the end of a window. */
export class TableMemory {
  readonly buffer: SharedArrayBuffer
  readonly words: Int32Array<SharedArrayBuffer>
  /** Two words each: quicker to copy, and so slow to compute with that nothing else is done with them. */
  readonly doubleWords: BigInt64Array<SharedArrayBuffer>
  readonly #windows: readonly Uint8Array<SharedArrayBuffer>[]

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer
    this.words = new Int32Array(buffer)
    this.doubleWords = new BigInt64Array(buffer)
    const windows: Uint8Array<SharedArrayBuffer>[] = []
    for (let at = 0; at < buffer.byteLength; at += windowWords * wordOctets) {
      const octets = Math.min(windowWords * wordOctets, buffer.byteLength - at)
      windows.push(new Uint8Array(buffer, at, octets))
    }
    this.#windows = windows
  }

  /** The window that has the octets of this block. */
  windowOf(ref: number): Uint8Array<SharedArrayBuffer> {
    return this.#windows[ref >>> windowShift] as Uint8Array<SharedArrayBuffer>
  }
}

/** Where the octets of the word at `at` begin in its window. */
export function offsetInWindow(at: number): number {
  return (at & (windowWords - 1)) << 2
}

/** How many pages a block may have at most, so that it finds room between the ends of windows. */
export const maxBlockPages = 1024
export const windowPages = windowWords / pageWords

/** Reserves shared memory, of which the system provides only what is touched. Where so much address space is not
 *  available (`ulimit -v`), it takes less, and as much again must be available for the rest of the process.
 *  @throws RangeError not even a small table fits. */
export function reserveMemory(wantedOctets: number): SharedArrayBuffer {
  const wanted = Math.min(wantedOctets, maxWords * wordOctets)
  try {
    return new SharedArrayBuffer(wanted)
  } catch (error) {
    for (let octets = wanted / 2; octets >= minOctets; octets /= 2) {
      const buffer = reserveTwice(octets)
      if (buffer !== undefined) return buffer
    }
    throw error
  }
}

function reserveTwice(octets: number): SharedArrayBuffer | undefined {
  try {
    const [buffer] = [new SharedArrayBuffer(octets), new SharedArrayBuffer(octets)]
    return buffer
  } catch {
    return undefined
  }
}
