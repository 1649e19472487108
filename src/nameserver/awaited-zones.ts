import type { Name } from '../dns/name.ts'
import { finishHash, hashStep } from '../hash.ts'

// The names of zones that are to be transferred in and have no copy yet, in memory that all threads share: their masters
// may send NOTIFY, although no query is answered from them. They are counted by the hash of their name, so another name
// may be mistaken for an awaited one; its NOTIFY is then ignored where zones are looked up.

const slotCount = 2 ** 16

/** Counts the names for all threads. There is one. */
export class AwaitedZonesWriter {
  readonly memory = new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT)
  readonly #counts = new Int32Array(this.memory)

  /** @param name in lower case */
  add(name: Name): void {
    Atomics.add(this.#counts, slotOf(name), 1)
  }

  /** Only for a name that was added. */
  remove(name: Name): void {
    Atomics.sub(this.#counts, slotOf(name), 1)
  }
}

/** The names as one thread sees them. */
export class AwaitedZones {
  readonly #counts: Int32Array

  /** @param memory of the writer; without it nothing is awaited */
  constructor(memory: SharedArrayBuffer | undefined) {
    this.#counts = new Int32Array(memory ?? new SharedArrayBuffer(0))
  }

  /** Whether a zone of this name, in lower case, may be awaited. */
  has(name: Name): boolean {
    return this.#counts.length > 0 && Atomics.load(this.#counts, slotOf(name)) > 0
  }
}

function slotOf(name: Name): number {
  let hash = 0x811c_9dc5
  for (let i = 0; i < name.length; i += 1) hash = hashStep(hash, name.charCodeAt(i))
  return finishHash(hash) & (slotCount - 1)
}
