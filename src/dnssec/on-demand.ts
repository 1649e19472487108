import type { Name } from '../dns/name.ts'
import { FairShare } from '../fair-share.ts'
import type { Rrset } from '../zone/rrset.ts'
import { ZoneKey } from './key.ts'
import { signatureTimes } from './policy.ts'
import { type SigningTerms, signersOf } from './signing-terms.ts'

// The keys of zones that are answered before all of their RRsets have signatures, in memory that all threads share: a thread
// itself signs the RRsets that it answers. Entries are appended and never removed: the state of a zone in the table tells
// whether the zone uses this.

const headOctets = 8
const lengthOctets = 4
/** More than a hundred thousand zones; only used entries take memory. */
const maxOctets = 2 ** 26
/** A key object takes 1 to 2 kB, and 60 us to make. */
const maxKept = 256
/** A quarter of a second of a thread's time, and as much for zones that others would keep out. */
const signaturesPerSecond = 5000

type Signers = Pick<SigningTerms, 'keySigners' | 'zoneSigners'>

/** Writes keys for all threads. There is one. */
export class OnDemandKeys {
  readonly memory = new SharedArrayBuffer(maxOctets)
  readonly #words = new Int32Array(this.memory, 0, headOctets / 4)
  readonly #octets = Buffer.from(this.memory)
  /** The last entry of each zone. */
  readonly #written = new Map<number, string>()

  /** Lets threads sign the zone of the table with this reference.
   *  @throws RangeError there is no room left */
  put(zone: number, { keySigners, zoneSigners }: Signers): void {
    const text = JSON.stringify([textsOf(keySigners), textsOf(zoneSigners)])
    if (this.#written.get(zone) === text) return
    const at = headOctets + (this.#words[0] as number)
    const record = Buffer.from(`${zone} ${text}`)
    if (at + lengthOctets + record.length > maxOctets) throw new RangeError('too many keys')
    this.#octets.writeUInt32LE(record.length, at)
    record.copy(this.#octets, at + lengthOctets)
    this.#written.set(zone, text)
    // Readers see everything before it.
    Atomics.store(this.#words, 0, at + lengthOctets + record.length - headOctets)
  }
}

/** Signs for one thread, within bounds. */
export class OnDemandSigner {
  readonly #words: Int32Array<SharedArrayBuffer>
  readonly #octets: Buffer
  #readOctets = 0
  readonly #texts = new Map<number, string>()
  readonly #signers = new Map<number, Signers>()
  readonly #share = new FairShare(signaturesPerSecond, () => this.#nowSeconds * 1000)
  #nowSeconds = 0

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory, 0, headOctets / 4)
    this.#octets = Buffer.from(memory)
  }

  /** Returns the RRSIG of an RRset of the zone with this reference; none where there is no key for it, or the zone has had its
   *  share of this second. */
  sign(
    zone: number,
    { apex, owner, rrset, expireSeconds, nowSeconds }: RrsetToSign,
  ): readonly Uint8Array[] {
    this.#readOn()
    const signers = this.#signersOf(zone)
    if (signers === undefined) return []
    const keys = signersOf(signers, rrset.type)
    this.#nowSeconds = nowSeconds
    if (!keys.every(() => this.#share.take(String(zone)))) return []
    const times = signatureTimes(nowSeconds, expireSeconds)
    return keys.map(key => {
      const { head, data } = key.toBeSigned(apex, { owner, rrset, times })
      return new Uint8Array(Buffer.concat([head, key.sign(data)]))
    })
  }

  #readOn(): void {
    const end = Atomics.load(this.#words, 0)
    while (this.#readOctets < end) {
      const at = headOctets + this.#readOctets
      const length = this.#octets.readUInt32LE(at)
      // Copied, since text is not read from shared memory.
      const record = Buffer.from(
        this.#octets.subarray(at + lengthOctets, at + lengthOctets + length),
      )
      const [zone = '', text = ''] = record.toString().split(' ')
      this.#texts.set(Number(zone), text)
      this.#signers.delete(Number(zone))
      this.#readOctets += lengthOctets + length
    }
  }

  #signersOf(zone: number): Signers | undefined {
    const known = this.#signers.get(zone)
    const text = this.#texts.get(zone)
    if (known !== undefined || text === undefined) return known
    const [keySigners, zoneSigners] = (JSON.parse(text) as KeyText[][]).map(keys => keys.map(keyOf))
    const signers = { keySigners: keySigners ?? [], zoneSigners: zoneSigners ?? [] }
    if (this.#signers.size >= maxKept) this.#signers.clear()
    this.#signers.set(zone, signers)
    return signers
  }
}

type RrsetToSign = {
  readonly apex: Name
  readonly owner: Name
  readonly rrset: Rrset
  /** Of the zone's SOA. */
  readonly expireSeconds: number
  readonly nowSeconds: number
}

type KeyText = readonly [pkcs8: string, isEntry: boolean]

function textsOf(keys: readonly ZoneKey[]): KeyText[] {
  return keys.map(({ pkcs8, isEntry }) => [Buffer.from(pkcs8).toString('base64'), isEntry])
}

function keyOf([pkcs8, isEntry]: KeyText): ZoneKey {
  return new ZoneKey(Buffer.from(pkcs8, 'base64'), { isEntry })
}
