import { ZoneKey } from '../dnssec/key.ts'
import type { KeySealing } from '../dnssec/sealed-key.ts'
import type { SigningTerms } from '../dnssec/signing-plan.ts'
import { boundOf, type DnssecKey } from '../model/dnssec-key.ts'
import type { Zone } from '../model/zone.ts'
import type { StoreReader } from '../store/store.ts'

/** A key takes 1 to 2 kB and 60 us to be made. */
const maxKept = 4096

export type ZoneKeysOptions = {
  readonly store: StoreReader
  readonly sealing: KeySealing
  readonly nowMillis: () => number
}

/** The keys that zones are signed with, made of their rows when they are needed. */
export class ZoneKeys {
  readonly #options: ZoneKeysOptions
  readonly #kept = new Map<string, ZoneKey>()

  constructor(options: ZoneKeysOptions) {
    this.#options = options
  }

  /** What a zone is signed with at this moment.
   *  @throws Error its key is not there or cannot be read */
  termsOf(zone: Zone): SigningTerms {
    const [row] = this.#options.store.list('dnssecKeys', 'byZone', zone.id)
    if (row === undefined) throw new Error('the zone has no key')
    return { key: this.keyOf(row), nowSeconds: this.nowSeconds }
  }

  get nowSeconds(): number {
    return Math.floor(this.#options.nowMillis() / 1000)
  }

  /** @throws Error its private part cannot be read */
  keyOf(row: DnssecKey): ZoneKey {
    const kept = this.#kept.get(row.id)
    if (kept !== undefined) return kept
    const key = new ZoneKey(this.#options.sealing.open(row.privateKey, boundOf(row)))
    const [oldest] = this.#kept.keys()
    if (this.#kept.size >= maxKept && oldest !== undefined) this.#kept.delete(oldest)
    this.#kept.set(row.id, key)
    return key
  }
}
