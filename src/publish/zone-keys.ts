import { parseName } from '../dns/name.ts'
import { ZoneKey } from '../dnssec/key.ts'
import type { KeySealing } from '../dnssec/sealed-key.ts'
import { type SigningTerms, termsOf } from '../dnssec/signing-terms.ts'
import { LruMap } from '../lru-map.ts'
import { boundOf, dnssecKeyOf, type StoredDnssecKey } from '../model/dnssec-key.ts'
import { builtInPolicies } from '../model/dnssec-policy.ts'
import type { Zone } from '../model/zone.ts'
import type { StoreReader } from '../store/store.ts'

/** A key takes 1 to 2 kB, and 60 us to make. */
const maxKept = 4096

type ZoneKeysOptions = {
  readonly store: StoreReader
  readonly sealing: KeySealing
  readonly nowMillis: () => number
}

/** The keys that zones are signed with, made from their rows on demand. */
export class ZoneKeys {
  readonly #options: ZoneKeysOptions
  readonly #kept = new LruMap<string, ZoneKey>(maxKept)

  constructor(options: ZoneKeysOptions) {
    this.#options = options
  }

  /** What a zone is signed with at this moment.
   *  @throws Error its key is not there or cannot be read */
  termsOf(zone: Zone): SigningTerms {
    const { store } = this.#options
    const keys = Array.from(store.list('dnssecKeys', 'byZone', zone.id), row => {
      return { ...dnssecKeyOf(row), key: this.keyOf(row) }
    })
    if (keys.length === 0) throw new Error('the zone has no key')
    const policyId = zone.dnssec?.policy
    const policy =
      builtInPolicies.find(({ id }) => id === policyId) ??
      (policyId === undefined ? undefined : store.get('dnssecPolicies', policyId))
    return termsOf(keys, {
      apex: parseName(zone.name),
      digests: policy?.dsDigests ?? [2],
      denial: policy?.denial ?? 'NSEC',
      nowSeconds: this.nowSeconds,
    })
  }

  /** Whether a key of a zone has changed after a time, in microseconds. */
  haveChanged(zone: Zone, sinceMicros: number): boolean {
    const rows = Array.from(this.#options.store.list('dnssecKeys', 'byZone', zone.id))
    return rows.some(({ createdAt, updatedAt }) => (updatedAt ?? createdAt) > sinceMicros)
  }

  get nowSeconds(): number {
    return Math.floor(this.#options.nowMillis() / 1000)
  }

  /** @throws Error its private part cannot be read */
  keyOf(row: StoredDnssecKey): ZoneKey {
    const kept = this.#kept.get(row.id)
    if (kept !== undefined) return kept
    const key = new ZoneKey(this.#options.sealing.open(row.privateKey, boundOf(row)), {
      isEntry: row.role !== 'ZSK',
    })
    this.#kept.set(row.id, key)
    return key
  }
}
