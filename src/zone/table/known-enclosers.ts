import { keyOctets, type NameKey } from './name-key.ts'

// The names above a question's name recur all the time, and so does `*` below them: what was found for some recent ones is kept for as
// long as it is certain to be the same.

/** A power of two. */
const slotCount = 256
const slotNameOctets = 256
/** Zone, its changes, epoch of the table. */
const momentWords = 3

/** For the closest enclosers of recent names, their own NSEC3 entry and that at or before the hash of `*` below them. It allocates
 *  nothing. */
export class KnownEnclosers {
  /** By slot: the entry of the name, 0 for none and -1 for unknown; the one at or before `*`; whether that is of `*` itself. */
  readonly own = new Int32Array(slotCount)
  readonly wildcard = new Int32Array(slotCount)
  readonly isOfWildcard = new Uint8Array(slotCount)
  readonly #names = new Uint8Array(slotCount * slotNameOctets)
  readonly #lengths = new Int32Array(slotCount)
  readonly #moments = new Int32Array(slotCount * momentWords)
  readonly #moment = new Int32Array(momentWords)

  /** Identifies the present moment: a zone keeps its entries until it changes, and no entry that a reader can find is
   *  reused until the epoch ends. */
  begin(zone: number, changes: number, epoch: number): void {
    const moment = this.#moment
    moment[0] = zone
    moment[1] = changes
    moment[2] = epoch
  }

  /** Returns the slot of the name that begins with label `label` of the key. Of a name that it did not have at this moment
   *  everything is unknown. */
  slotOf(key: NameKey, label: number): number {
    const slot = key.hashFrom(label) & (slotCount - 1)
    if (!this.#has(slot, key, label)) this.#put(slot, key, label)
    return slot
  }

  #has(slot: number, key: NameKey, label: number): boolean {
    const moment = this.#moment
    for (let i = 0; i < momentWords; i += 1) {
      if (this.#moments[slot * momentWords + i] !== moment[i]) return false
    }
    const length = key.octetsFrom(label)
    if (this.#lengths[slot] !== length) return false
    const { octets } = key
    const from = slot * slotNameOctets
    const at = keyOctets - length
    for (let i = 0; i < length; i += 1) if (this.#names[from + i] !== octets[at + i]) return false
    return true
  }

  #put(slot: number, key: NameKey, label: number): void {
    this.own[slot] = -1
    this.wildcard[slot] = -1
    for (let i = 0; i < momentWords; i += 1) {
      this.#moments[slot * momentWords + i] = this.#moment[i] as number
    }
    const length = key.octetsFrom(label)
    this.#lengths[slot] = length
    const { octets } = key
    const from = slot * slotNameOctets
    const at = keyOctets - length
    for (let i = 0; i < length; i += 1) this.#names[from + i] = octets[at + i] as number
  }
}
