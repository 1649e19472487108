import { classes, types } from '../dns/codes.ts'
import { lowerCaseName, type Name } from '../dns/name.ts'
import { latin1 } from '../dns/rdata/fields/strings.ts'
import type { OwnedRrset } from './rrset.ts'
import { soaNumbers } from './soa.ts'

// The difference between one version of a zone and a later one, in the form of IXFR (RFC 1995 section 4): however many
// changes were made, one sequence of removed records and one of added ones.

/** An RRset before and after a change; undefined where there is none. */
export type RrsetChange = {
  readonly before: OwnedRrset | undefined
  readonly after: OwnedRrset | undefined
}

/** The answer to an IXFR. */
export type DifferenceAnswer = {
  readonly fromSerial: number
  readonly toSerial: number
  readonly recordCount: number
  /** Records one behind the other: owner, uncompressed, type, class, TTL, length and rdata. */
  readonly octets: Uint8Array<ArrayBuffer>
}

type Growing = { readonly before: OwnedRrset | undefined; after: OwnedRrset | undefined }

/** Where an RRSIG has the TTL of what it covers (RFC 4034 section 3.1.4). */
const originalTtlOffset = 4
/** Type, class, TTL and length. */
const fixedOctets = 10

/** Combines changes of a zone into one. */
export class ZoneDifference {
  readonly #changes = new Map<string, Growing>()

  /** Adds changes that were made at once, behind all others. */
  add(changes: readonly RrsetChange[]): void {
    for (const { before } of changes) if (isSent(before)) this.#at(before, before).after = undefined
    for (const { after } of changes) if (isSent(after)) this.#at(after, undefined).after = after
  }

  /** Undefined where the changes do not lead from one SOA to another. */
  answer(): DifferenceAnswer | undefined {
    const changes = [...this.#changes.values()]
    const soa = changes.find(({ before, after }) => (before ?? after)?.type === types.SOA)
    if (soa?.before === undefined || soa.after === undefined) return undefined
    const octets = new RecordOctets()
    octets.put(soa.after)
    octets.put(soa.before)
    for (const change of changes) if (change !== soa) octets.put(change.before, change.after)
    octets.put(soa.after)
    for (const change of changes) if (change !== soa) octets.put(change.after, change.before)
    octets.put(soa.after)
    return {
      fromSerial: soaNumbers(soa.before).serial,
      toSerial: soaNumbers(soa.after).serial,
      recordCount: octets.count,
      octets: octets.take(),
    }
  }

  #at({ owner, type }: OwnedRrset, before: OwnedRrset | undefined): Growing {
    const key = `${type} ${lowerCaseName(owner)}`
    const known = this.#changes.get(key)
    if (known !== undefined) return known
    const fresh: Growing = { before, after: before }
    this.#changes.set(key, fresh)
    return fresh
  }
}

/** An ALIAS is not sent; its addresses are. */
function isSent(rrset: OwnedRrset | undefined): rrset is OwnedRrset {
  return rrset !== undefined && rrset.type !== types.ALIAS
}

/** The answer to a client that has the current version: its SOA (RFC 1995 section 2). */
export function soaOctets(soa: OwnedRrset): Uint8Array<ArrayBuffer> {
  const octets = new RecordOctets()
  octets.put(soa)
  return octets.take()
}

/** Collects records. */
class RecordOctets {
  #octets = Buffer.alloc(1024)
  #end = 0
  count = 0

  /** Puts those records of an RRset that the other RRset does not have. */
  put(rrset: OwnedRrset | undefined, other?: OwnedRrset): void {
    if (rrset === undefined) return
    const known =
      other?.ttlSeconds === rrset.ttlSeconds ? new Set(other.rdatas.map(latin1)) : undefined
    for (const rdata of rrset.rdatas) {
      if (!known?.has(latin1(rdata))) this.#putRecord(rrset, rdata)
    }
  }

  take(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#octets.subarray(0, this.#end))
  }

  #putRecord({ owner, type, ttlSeconds }: OwnedRrset, rdata: Uint8Array): void {
    const end = this.#end + owner.length + fixedOctets + rdata.length
    if (end > this.#octets.length) this.#enlarge(end)
    const octets = this.#octets
    const ttl =
      type === types.RRSIG ? Buffer.from(rdata).readUInt32BE(originalTtlOffset) : ttlSeconds
    let at = this.#end + octets.write(owner as Name, this.#end, 'latin1')
    at = octets.writeUInt16BE(type, at)
    at = octets.writeUInt16BE(classes.in, at)
    at = octets.writeUInt32BE(ttl, at)
    at = octets.writeUInt16BE(rdata.length, at)
    octets.set(rdata, at)
    this.#end = end
    this.count += 1
  }

  #enlarge(length: number): void {
    const larger = Buffer.alloc(2 * length)
    larger.set(this.#octets)
    this.#octets = larger
  }
}
