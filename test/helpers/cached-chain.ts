import { createHash, verify } from 'node:crypto'
import { types } from '../../src/dns/codes.ts'
import type { Name } from '../../src/dns/name.ts'
import { canonicalRecords } from '../../src/dnssec/canonical.ts'
import { dsDigests, signatureFields } from '../../src/dnssec/key.ts'
import type { Rrset } from '../../src/zone/rrset.ts'
import { publicKeyOf } from './verify-zone.ts'

// A zone and its DS as any possible cache holds them: any version of each RRset that was served within its TTL, in any
// combination with the others. A validator with such a cache must accept the zone, unless it has no DS.

/** An RRset as it is served, with all RRSIG of its name; without an RRset it is denied. */
export type ServedRrset = {
  readonly owner: Name
  readonly type: number
  readonly rrset: Rrset | undefined
  readonly signatures: readonly Uint8Array[]
}

type Version = ServedRrset & { readonly text: string; from: number; until: number | undefined }

export class CachedChain {
  readonly #apex: Name
  readonly #lines = new Map<string, Version[]>()
  readonly #verified = new Map<string, boolean>()
  /** How long a cache keeps the denial. */
  readonly #absentSeconds: number
  /** Combinations of versions that were checked. */
  comparedCount = 0

  constructor(apex: Name, absentSeconds: number) {
    this.#apex = apex
    this.#absentSeconds = absentSeconds
  }

  /** Records the RRsets served at a moment, which must include DS and DNSKEY. If any of them is new, checks everything that caches
   *  may hold.
   *  @throws Error a validator with some combination of them finds the zone bogus */
  note(now: number, all: readonly ServedRrset[]): void {
    let isNew = false
    for (const served of all) {
      const { owner, type, rrset, signatures } = served
      const rdatas = [...(rrset?.rdatas ?? []), ...signatures]
      const text = rdatas.map(rdata => Buffer.from(rdata).toString('latin1')).join('\n')
      const line = this.#lines.get(`${owner} ${type}`) ?? []
      this.#lines.set(`${owner} ${type}`, line)
      const last = line.at(-1)
      if (last !== undefined && last.text === text) continue
      if (last !== undefined) last.until = now
      line.push({ ...served, text, from: now, until: undefined })
      isNew = true
    }
    if (isNew) this.requireValid(now)
  }

  /** @throws Error as `note` */
  requireValid(now: number): void {
    const lines = [...this.#lines.values()].map(line => this.#cached(line, now))
    const of = (type: number) => lines.find(([first]) => first?.type === type) ?? []
    const others = lines.filter(
      ([first]) => first?.type !== types.DS && first?.type !== types.DNSKEY,
    )
    for (const line of lines) for (const version of line) this.#requireInTime(version, now)
    for (const { rrset: ds } of of(types.DS)) {
      if (ds === undefined) continue
      for (const dnskey of of(types.DNSKEY)) {
        this.#requireBelieved(ds, dnskey, now)
        for (const version of others.flat()) this.#requireSigned(version, dnskey, now)
      }
    }
  }

  /** The versions of a line that caches may still hold. */
  #cached(line: readonly Version[], now: number): readonly Version[] {
    return line.filter(({ rrset, until }) => {
      const ttlSeconds = rrset?.ttlSeconds ?? this.#absentSeconds
      return until === undefined || until + ttlSeconds > now
    })
  }

  #requireInTime({ owner, type, signatures, from, until }: Version, now: number): void {
    for (const signature of signatures) {
      const { covered, expiration, inception } = signatureFields(signature)
      if (covered !== type) continue
      if (inception > from || expiration < (until ?? now)) {
        throw new Error(`${now}: ${owner} ${type} is not signed for its time`)
      }
    }
  }

  /** RFC 4035 section 5.2: with every algorithm of DS, a DS leads to a key that signs DNSKEY. */
  #requireBelieved(ds: Rrset, dnskey: Version, now: number): void {
    const keys = dnskey.rrset?.rdatas ?? []
    for (const algorithm of new Set(ds.rdatas.map(rdata => rdata[2]))) {
      const entries = keys.filter(key => key[3] === algorithm && this.#hasDs(ds, key))
      if (!entries.some(key => this.#isSignedBy(dnskey, key))) {
        throw new Error(`${now}: no DS of algorithm ${algorithm} leads to DNSKEY`)
      }
    }
  }

  /** RFC 4035 sections 2.2 and 5.3: an RRset is signed with every algorithm of DNSKEY. */
  #requireSigned(version: Version, dnskey: Version, now: number): void {
    this.comparedCount += 1
    const keys = dnskey.rrset?.rdatas ?? []
    for (const algorithm of new Set(keys.map(key => key[3]))) {
      const own = keys.filter(key => key[3] === algorithm)
      if (!own.some(key => this.#isSignedBy(version, key))) {
        const { owner, type } = version
        throw new Error(`${now}: ${owner} ${type} is not signed with algorithm ${algorithm}`)
      }
    }
  }

  #hasDs(ds: Rrset, key: Uint8Array): boolean {
    return ds.rdatas.some(rdata => {
      const digest = dsDigests[rdata[3] as keyof typeof dsDigests]
      const hash = createHash(digest).update(this.#apex, 'latin1').update(key).digest()
      return hash.equals(rdata.subarray(4))
    })
  }

  #isSignedBy({ owner, type, rrset, signatures }: Version, key: Uint8Array): boolean {
    if (rrset === undefined) return false
    return signatures.some(signature => {
      const { covered, algorithm, ttlSeconds } = signatureFields(signature)
      if (covered !== type || algorithm !== key[3]) return false
      const headOctets = 18 + this.#apex.length
      const records = canonicalRecords(owner, { ...rrset, ttlSeconds })
      const data = Buffer.concat([signature.subarray(0, headOctets), records])
      const known = [data, signature, key].map(it => Buffer.from(it).toString('latin1')).join('\n')
      const before = this.#verified.get(known)
      if (before !== undefined) return before
      const publicKey = publicKeyOf(key)
      const hash = publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
      const parts = { key: publicKey, dsaEncoding: 'ieee-p1363' as const }
      const isGood = verify(hash, data, parts, signature.subarray(headOctets))
      this.#verified.set(known, isGood)
      return isGood
    })
  }
}
