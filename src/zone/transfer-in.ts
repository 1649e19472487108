import type { AnswerReader } from '../dns/answer-reader.ts'
import { classes, types } from '../dns/codes.ts'
import { formatName, isOwnerAtOrBelow, type Name, nameFromOctets } from '../dns/name.ts'
import { typeMnemonic } from '../dns/rdata/index.ts'
import type { RrsetOctets } from '../dns/rrset-octets.ts'
import type { TsigSecret } from '../dns/tsig-mac.ts'
import { type NameContents, zoneDefects } from './check.ts'
import { isRuled } from './check-name.ts'
import { describeDefect, maxTypesPerName, type ZoneDefect } from './defect.ts'
import { PackedRrsets } from './packed-rrsets.ts'
import type { OwnedRrset } from './rrset.ts'
import { type SoaNumbers, soaNumbersIn } from './soa.ts'
import { failure, judgeAnswers, type TransferFailure } from './transfer-response.ts'

// The receiving side of AXFR (RFC 5936) without its connection: it takes messages one by one and returns a copy of the
// zone or the reason why there is none. It trusts no message: the records must start and end with the same SOA, be of
// this zone and class, and stay within the bounds.
//
// A record outside the zone is left out and counted: old zones carry such glue, no answer ever contains it, and other
// secondaries load these zones. A record of another class, or of a type that is not zone data, fails the transfer: no
// server normally sends it, so the message is not what it seems.

export type TransferLimits = { readonly maxRecords: number; readonly maxOctets: number }

/** What the zone's project may have; Infinity: as much as the limits allow. */
export type TransferQuota = {
  /** SOA and NS of the apex among them. */
  readonly maxRrsets: number
  /** Beside SOA and NS of the apex. */
  readonly maxRecords: number
  readonly maxRrsetRecords: number
  /** Of all messages. */
  readonly maxOctets: number
}

/** What a master holds: its RRsets, each owner and type once, the SOA first. There may be a million of them, so each
 *  value is made on request, not kept. */
export type ZoneCopy = {
  readonly soa: SoaNumbers
  readonly rrsetCount: number
  /** By its number, from 0 on, in the order of first appearance. */
  rrsetAt(index: number): OwnedRrset
  /** The same as octets, until the next one is asked for. */
  octetsAt(index: number): RrsetOctets
  /** All that each owner has, each owner once. */
  names(which: 'all' | 'ruled'): Iterable<NameContents>
  /** Records that were left out because they are not of this zone. */
  readonly outsideCount: number
}

/** How a master is known over TLS (RFC 9103 section 9.3): by a certificate for a name that an authority of the machine
 *  vouches for, by its public key, or not at all. */
export type MasterTls =
  | { readonly kind: 'name'; readonly name: string }
  /** SHA-256 of the SubjectPublicKeyInfo, in base64 (RFC 7858 section 4.2). */
  | { readonly kind: 'pin'; readonly sha256: string }
  | { readonly kind: 'anyone' }

/** Which zone to ask a master about. */
export type SerialRequest = {
  /** Lower-case. */
  readonly zone: Name
  readonly master: { readonly host: string; readonly port: number; readonly tls?: MasterTls }
  /** An operator may name any master, a project only public ones. */
  readonly namedBy: 'project' | 'operator'
  /** The key that signs requests and must have signed the responses. */
  readonly key?: TsigSecret | undefined
}

/** What to ask a master for. */
export type TransferRequest = SerialRequest & {
  /** The serial of the copy at hand; undefined where there is none. */
  readonly knownSerial: number | undefined
  /** Whether to request the whole zone instead of its changes. */
  readonly isWhole?: boolean
  readonly quota: TransferQuota
  /** Called for each message of a transfer; returns whether there is room for so many more octets. */
  readonly hold: (octets: number) => boolean
}

/** A transfer that is complete, or that has a fault which reading it will report. */
export type ReceivedTransfer = TransferInOptions & {
  /** Its messages, as `messagesIn` reads them. */
  readonly pieces: readonly Uint8Array[]
  /** Of the copy at hand. */
  readonly knownSerial: number | undefined
}

export type TransferResult =
  /** The copy at hand is the master's. */
  | { readonly kind: 'current'; readonly serial: number; readonly expireSeconds?: number }
  | {
      readonly kind: 'received'
      readonly transfer: ReceivedTransfer
      /** How long the master's zone is good, where the master says so. */
      readonly expireSeconds?: number
    }
  | {
      readonly kind: 'failed'
      readonly failure: TransferFailure
      /** Whether the changes were asked for, and did not come: the whole zone may still do so. */
      readonly isOfChanges?: boolean
    }

export type TransferProgress =
  | { readonly kind: 'more' }
  | { readonly kind: 'complete'; readonly copy: ZoneCopy }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

/** Which transfer to receive. `zone` is lower-case. */
type TransferInOptions = {
  readonly zone: Name
  readonly id: number
  /** AXFR, or IXFR that was answered as AXFR is (RFC 1995 section 4). */
  readonly type?: number
  readonly limits: TransferLimits
  readonly quota: TransferQuota
  /** 32 random bits that the master does not know, since it chooses the names that are hashed. */
  readonly hashSeed: number
}

const more: TransferProgress = { kind: 'more' }

/** RFC 5936 section 2.2: each message has records. Some servers may send a few without, but none keeps sending them. */
export const maxEmptyMessages = 100

/** Receives one transfer. After 'complete' or 'failed' it takes no more messages. */
export class TransferIn {
  readonly #options: TransferInOptions
  readonly #quota: TransferQuota
  readonly #rrsets: PackedRrsets
  /** In lower case. */
  readonly #zone: Uint8Array
  #soa: SoaNumbers | undefined
  #hasEnded = false
  #emptyCount = 0
  /** As they came. */
  #recordCount = 0
  /** Records that count against the quota. */
  #keptCount = 0
  #octetCount = 0
  #outsideCount = 0

  constructor(options: TransferInOptions) {
    this.#options = options
    this.#quota = options.quota
    this.#rrsets = new PackedRrsets(options.hashSeed)
    this.#zone = Buffer.from(options.zone, 'latin1')
  }

  /** Takes the next message, without its length. O(records of the message); never throws. */
  receive(octets: Uint8Array): TransferProgress {
    const problem = this.#takeMessage(octets)
    if (problem !== undefined) return { kind: 'failed', failure: problem }
    return this.#soa !== undefined && this.#hasEnded ? this.#complete(this.#soa) : more
  }

  #takeMessage(octets: Uint8Array): TransferFailure | undefined {
    const { zone, id, limits, type = types.AXFR } = this.#options
    this.#octetCount += octets.length
    if (this.#octetCount > limits.maxOctets) return tooLarge(`${limits.maxOctets} octets`)
    if (this.#octetCount > this.#quota.maxOctets) {
      return overQuota(`${this.#quota.maxOctets} octets`)
    }
    const asked = { zone, id, type, isFirst: this.#soa === undefined }
    const countBefore = this.#recordCount
    const problem = judgeAnswers(octets, asked, record => this.#take(record))
    if (problem !== undefined) return problem
    if (this.#soa === undefined) return failure('not-a-transfer', 'an answer without records')
    if (this.#recordCount === countBefore) this.#emptyCount += 1
    if (this.#emptyCount <= maxEmptyMessages) return undefined
    return failure('silent', `more than ${maxEmptyMessages} messages without records`)
  }

  #take(record: AnswerReader): TransferFailure | undefined {
    this.#recordCount += 1
    if (this.#recordCount > this.#options.limits.maxRecords) {
      return tooLarge(`${this.#options.limits.maxRecords} records`)
    }
    if (this.#hasEnded) return failure('not-a-transfer', 'records after the final SOA')
    if (record.class !== classes.in) {
      return failure('not-a-transfer', `a record of class ${record.class} at ${nameOf(record)}`)
    }
    if (record.type === types.SOA || this.#soa === undefined) return this.#takeSoa(record)
    if (isOwnerAtOrBelow(record.owner, record.ownerOctets, this.#zone)) return this.#add(record)
    this.#outsideCount += 1
    return undefined
  }

  #takeSoa(record: AnswerReader): TransferFailure | undefined {
    if (record.type !== types.SOA) return failure('not-a-transfer', 'it does not start with a SOA')
    if (!this.#isApex(record)) {
      return failure('not-a-transfer', `a SOA of ${nameOf(record)}, which is not the zone`)
    }
    const soa = soaNumbersIn(record.rdata.subarray(record.rdataAt, record.rdataEnd))
    if (this.#soa === undefined) {
      this.#soa = soa
      return this.#add(record)
    }
    if (soa.serial !== this.#soa.serial) {
      const serials = `it starts with serial ${this.#soa.serial} and goes on with ${soa.serial}`
      return failure('not-a-transfer', `the zone changed under the transfer: ${serials}`)
    }
    this.#hasEnded = true
    return undefined
  }

  #isApex({ owner, ownerOctets }: AnswerReader): boolean {
    return ownerOctets === this.#zone.length && isOwnerAtOrBelow(owner, ownerOctets, this.#zone)
  }

  #add(record: AnswerReader): TransferFailure | undefined {
    const { type, ttlSeconds } = record
    const rrsets = this.#rrsets
    let typeCount = 0
    let index = rrsets.firstOfOctets(record.owner, record.ownerOctets)
    for (; index >= 0; index = rrsets.nextOf(index)) {
      if (rrsets.typeOf(index) === type) return this.#grow(index, record)
      typeCount += 1
    }
    if (typeCount === maxTypesPerName) {
      return failure('too-large', `more than ${maxTypesPerName} types at ${nameOf(record)}`)
    }
    if (rrsets.count >= this.#quota.maxRrsets) {
      return overQuota(`${this.#quota.maxRrsets} recordsets (zone_recordsets)`)
    }
    return this.#addRecord(rrsets.addToLast(type, ttlSeconds), record)
  }

  #grow(index: number, record: AnswerReader): TransferFailure | undefined {
    const rrsets = this.#rrsets
    // RFC 2181 section 5.2: TTLs that differ within an RRset are an error; the lowest harms least.
    rrsets.setTtlSeconds(index, Math.min(rrsets.ttlSecondsOf(index), record.ttlSeconds))
    return this.#addRecord(index, record)
  }

  #addRecord(index: number, record: AnswerReader): TransferFailure | undefined {
    const rrsets = this.#rrsets
    if (rrsets.addRecord(index, record.rdata, record.rdataAt, record.rdataEnd)) {
      const exceeded = this.#countRecord(index, record)
      if (exceeded !== undefined) return exceeded
    }
    const headerOctets = rrsets.recordCountOf(index) * recordHeaderOctets
    if (headerOctets + rrsets.rdataOctetsOf(index) <= maxRrsetOctets) return undefined
    const what = `the ${typeMnemonic(record.type)} RRset of ${nameOf(record)}`
    return failure('too-large', `${what} has more than ${maxRrsetOctets} octets`)
  }

  /** Counts one more record against the quota, except those that a PRIMARY zone has from the server. */
  #countRecord(index: number, record: AnswerReader): TransferFailure | undefined {
    const isOfServer = record.type === types.SOA || record.type === types.NS
    if (isOfServer && this.#isApex(record)) return undefined
    this.#keptCount += 1
    const { maxRecords, maxRrsetRecords } = this.#quota
    if (this.#keptCount > maxRecords) return overQuota(`${maxRecords} records (zone_records)`)
    if (this.#rrsets.recordCountOf(index) > maxRrsetRecords) {
      return overQuota(`${maxRrsetRecords} records (recordset_records) at ${nameOf(record)}`)
    }
    return undefined
  }

  #complete(soa: SoaNumbers): TransferProgress {
    const rrsets = this.#rrsets
    const copy = {
      soa,
      rrsetCount: rrsets.count,
      rrsetAt: (index: number) => rrsets.at(index),
      octetsAt: (index: number) => rrsets.octetsAt(index),
      names: (which: 'all' | 'ruled') => rrsets.names(which === 'all' ? undefined : isRuled),
      outsideCount: this.#outsideCount,
    }
    return { kind: 'complete', copy }
  }
}

/** Yields the defects that keep a complete copy from being served. O(zone). */
export function* copyDefects(zone: Name, copy: ZoneCopy): Generator<TransferFailure> {
  for (const defect of zoneDefects(zone, which => copy.names(which))) {
    if (!isHarmless(defect)) yield failure('unsound', `not a sound zone: ${describeDefect(defect)}`)
  }
}

/** An RRset travels in one message of at most 65,535 octets, beside its header and question. */
export const maxRrsetOctets = 65_000

/** Compressed owner, type, class, TTL and length, in front of the rdata. */
export const recordHeaderOctets = 12

/** Data that should not be there and that no answer contains. The primary has to repair it; refusing the zone would
 *  deny its other data to clients. */
const harmlessKinds: readonly ZoneDefect['kind'][] = [
  'ds-at-apex',
  'data-below-dname',
  'ns-at-wildcard',
]

/** Whether a defect keeps a copy from being served. */
export function isHarmless(defect: ZoneDefect): boolean {
  return harmlessKinds.includes(defect.kind)
}

function tooLarge(bound: string): TransferFailure {
  return failure('too-large', `the zone is larger than ${bound}`)
}

function overQuota(bound: string): TransferFailure {
  return failure('over-quota', `over quota: the zone has more than ${bound}`)
}

function nameOf({ owner }: AnswerReader): string {
  return formatName(nameFromOctets(owner, 0))
}
