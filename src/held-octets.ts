/** Octets of memory: the most for each key, so that it leaves others room, and for all. */
export type OctetBounds = { readonly each: number; readonly all: number }

/** What one holder has reserved. */
export type Held = {
  /** Reserves more octets; returns false and reserves none where that would exceed a bound. */
  hold(octets: number): boolean
  /** Gives all of them back. */
  release(): void
}

/** Counts the octets in memory for others, by key and in all. */
export class HeldOctets {
  readonly #bounds: OctetBounds
  readonly #byKey = new Map<string, number>()
  #all = 0

  constructor(bounds: OctetBounds) {
    this.#bounds = bounds
  }

  open(key: string): Held {
    let own = 0
    return {
      hold: octets => {
        const { each, all } = this.#bounds
        if (this.#of(key) + octets > each || this.#all + octets > all) return false
        this.#add(key, octets)
        own += octets
        return true
      },
      release: () => {
        // Most holders never reserve any.
        if (own === 0) return
        this.#add(key, -own)
        own = 0
      },
    }
  }

  #of(key: string): number {
    return this.#byKey.get(key) ?? 0
  }

  #add(key: string, octets: number): void {
    this.#all += octets
    const held = this.#of(key) + octets
    if (held > 0) this.#byKey.set(key, held)
    else this.#byKey.delete(key)
  }
}
