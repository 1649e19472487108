// Octets that are only ever appended, in pages of their own: the garbage collector neither scans nor moves them, and
// growth copies nothing. Shared memory does not count among what makes V8 collect all garbage.

/** Longer than any entry: a record has at most 65,535 octets of rdata. */
const pageBits = 20
const pageOctets = 1 << pageBits

/** Octets by their address. */
export class PackedOctets {
  readonly #pages: Uint8Array[] = []
  #used = pageOctets

  /** Makes room in one piece; returns its address. `lengthOctets` is at most a page's, 2^20. */
  reserve(lengthOctets: number): number {
    if (this.#used + lengthOctets > pageOctets) {
      this.#pages.push(new Uint8Array(new SharedArrayBuffer(pageOctets)))
      this.#used = 0
    }
    const address = (this.#pages.length - 1) * pageOctets + this.#used
    this.#used += lengthOctets
    return address
  }

  /** The page that an address is in; `offsetOf` says where. */
  pageOf(address: number): Uint8Array {
    return this.#pages[address >>> pageBits] as Uint8Array
  }
}

/** Where an address is in its page. */
export function offsetOf(address: number): number {
  return address & (pageOctets - 1)
}
