import { signing, zone as zoneBlock } from './layout.ts'
import type { TableMemory } from './memory.ts'

/** How long and how often a reader waits for one change of a zone: changes take microseconds, but the thread that makes
 *  them may have to wait for a processor. */
const waitMillis = 50
const maxWaits = 20

/** Whether a count of changes is that of a zone during a change. */
export function isChanging(count: number): boolean {
  return (count & 1) !== 0
}

/** The moments at which one reader has read from signed zones. Several words lead to a name, its RRSIG and the denial of
 *  other names, and an answer must have all of them from one moment. It allocates nothing. */
export class ZoneMoments {
  readonly #words: Int32Array<SharedArrayBuffer>
  readonly #zones: Int32Array
  readonly #counts: Int32Array
  readonly #fence = new Int32Array(1)
  #length = 0

  /** @param maxZones the most zones that one answer can use */
  constructor({ words }: TableMemory, maxZones: number) {
    this.#words = words
    this.#zones = new Int32Array(maxZones)
    this.#counts = new Int32Array(maxZones)
  }

  /** Forgets them all. */
  clear(): void {
    this.#length = 0
  }

  /** Notes the moment of a signed zone before it is read from, once. Waits while the zone is being changed; returns false
   *  where that takes too long. */
  note(zone: number): boolean {
    for (let i = 0; i < this.#length; i += 1) if (this.#zones[i] === zone) return true
    const words = this.#words
    const at = (words[zone + zoneBlock.signing] as number) + signing.changes
    let count = Atomics.load(words, at)
    for (let waits = 0; isChanging(count); waits += 1) {
      if (waits === maxWaits) return false
      Atomics.wait(words, at, count, waitMillis)
      count = Atomics.load(words, at)
    }
    this.#zones[this.#length] = zone
    this.#counts[this.#length] = count
    this.#length += 1
    return true
  }

  /** Whether none of the zones has changed since it was noted. */
  get areCurrent(): boolean {
    if (this.#length === 0) return true
    const words = this.#words
    // Otherwise arm64 may delay earlier reads until after those of the counts.
    Atomics.store(this.#fence, 0, 0)
    for (let i = 0; i < this.#length; i += 1) {
      const at = (words[(this.#zones[i] as number) + zoneBlock.signing] as number) + signing.changes
      if (Atomics.load(words, at) !== this.#counts[i]) return false
    }
    return true
  }
}
