import { classes, types } from '../dns/codes.ts'
import type { ResourceRecord } from '../dns/message.ts'
import { formatName, isAtOrBelow, lowerCaseName, type Name } from '../dns/name.ts'
import { rdataKey } from '../dns/rdata/rdata-key.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { type SoaNumbers, soaNumbersIn } from './soa.ts'
import type { ReceivedTransfer } from './transfer-in.ts'
import { failure, judgeResponse, type TransferFailure } from './transfer-response.ts'

// The receiving side of IXFR (RFC 1995) without its connection. The sequences of a response become one change; the caller
// checks whether it fits the copy it has.

/** The change of one record. A record that was there before is there again where its TTL has changed. */
type RecordDifference = {
  readonly rdata: Uint8Array
  readonly ttlSeconds: number
  readonly wasThere: boolean
  readonly isThere: boolean
}

export type RrsetDifference = {
  readonly owner: Name
  readonly type: number
  readonly records: readonly RecordDifference[]
}

/** The changes of a master, its SOA last. */
export type ReceivedDifference = {
  /** The serial of the version that the change starts from. */
  readonly fromSerial: number
  readonly soa: SoaNumbers
  readonly rrsets: readonly RrsetDifference[]
  /** Records that were left out because they are not of this zone. */
  readonly outsideCount: number
}

type DifferenceProgress =
  | { readonly kind: 'more' }
  | { readonly kind: 'complete'; readonly difference: ReceivedDifference }
  /** The response is a whole zone, or only a serial that is not newer (RFC 1995 section 4). */
  | { readonly kind: 'zone' }
  | { readonly kind: 'current'; readonly serial: number }
  | { readonly kind: 'failed'; readonly failure: TransferFailure }

type Growing = {
  owner: Name
  readonly type: number
  readonly records: Map<
    string,
    { rdata: Uint8Array; ttlSeconds: number; wasThere: boolean; isThere: boolean }
  >
}

/** Receiving the zone costs less than looking up so many changes. */
const maxRecords = 200_000

/** Receives one response. After anything but 'more' it takes no more messages. */
export class DifferenceIn {
  readonly #request: ReceivedTransfer
  readonly #rrsets = new Map<string, Growing>()
  /** The SOA of the new version: the first record. */
  #soaRecord: ResourceRecord | undefined
  #soa: SoaNumbers | undefined
  #fromSerial: number | undefined
  /** The SOA of the version that the records so far lead to or from. */
  #serial = 0
  #isAdding = false
  #hasEnded = false
  #recordCount = 0
  #octetCount = 0
  #outsideCount = 0

  constructor(request: ReceivedTransfer) {
    this.#request = request
  }

  /** Takes the next message, without its length; never throws. */
  receive(octets: Uint8Array): DifferenceProgress {
    const { zone, id, quota, limits } = this.#request
    this.#octetCount += octets.length
    const maxOctets = Math.min(limits.maxOctets, quota.maxOctets)
    if (this.#octetCount > maxOctets) return failed(`more than ${maxOctets} octets`)
    const isFirst = this.#soa === undefined
    const verdict = judgeResponse(octets, { zone, id, type: types.IXFR }, { isFirst })
    if (verdict.kind === 'failed') return verdict
    for (const record of verdict.message.answers) {
      const problem = this.#take(record)
      if (problem !== undefined) return problem
    }
    if (this.#hasEnded) return this.#complete()
    return this.#recordCount === 1 ? this.#judgeSoleSoa() : { kind: 'more' }
  }

  /** Some masters send one record in each message; a master without news sends one record in all. */
  #judgeSoleSoa(): DifferenceProgress {
    const { serial = 0 } = this.#soa ?? {}
    const { knownSerial = serial } = this.#request
    return isNewerSerial(serial, knownSerial) ? { kind: 'more' } : { kind: 'current', serial }
  }

  #take(record: ResourceRecord): Exclude<DifferenceProgress, { kind: 'more' }> | undefined {
    this.#recordCount += 1
    if (this.#recordCount > maxRecords) return failed(`more than ${maxRecords} records`)
    if (this.#hasEnded) return failed('records after the final SOA')
    if (record.class !== classes.in) return failed(`a record of class ${record.class}`)
    if (record.type === types.SOA) return this.#takeSoa(record)
    if (this.#soa === undefined) return failed('it does not start with a SOA')
    if (this.#fromSerial === undefined) return { kind: 'zone' }
    if (isAtOrBelow(lowerCaseName(record.owner), this.#request.zone)) return this.#change(record)
    this.#outsideCount += 1
    return undefined
  }

  #takeSoa(record: ResourceRecord): Exclude<DifferenceProgress, { kind: 'more' }> | undefined {
    if (lowerCaseName(record.owner) !== this.#request.zone) {
      return failed(`a SOA of ${formatName(record.owner)}, which is not the zone`)
    }
    const soa = soaNumbersIn(record.rdata)
    if (this.#soa === undefined) {
      this.#soa = soa
      this.#soaRecord = record
      return undefined
    }
    if (this.#fromSerial === undefined) {
      if (soa.serial === this.#soa.serial) return { kind: 'zone' }
      this.#fromSerial = soa.serial
      this.#serial = soa.serial
      return undefined
    }
    if (!this.#isAdding) {
      this.#serial = soa.serial
      this.#isAdding = true
      return undefined
    }
    if (soa.serial !== this.#serial) {
      return failed(`serial ${soa.serial} where ${this.#serial} was left off`)
    }
    this.#hasEnded = soa.serial === this.#soa.serial
    this.#isAdding = false
    return undefined
  }

  #change(record: ResourceRecord): (DifferenceProgress & { kind: 'failed' }) | undefined {
    const { owner, type, rdata, ttlSeconds } = record
    const records = this.#rrsetOf(record).records
    const key = rdataKey(type, rdata)
    const known = records.get(key)
    const isThere = this.#isAdding
    if (known === undefined) {
      records.set(key, { rdata, ttlSeconds, wasThere: !isThere, isThere })
      return undefined
    }
    if (known.isThere === isThere) {
      return failed(`a record of ${formatName(owner)} ${isThere ? 'comes' : 'goes'} twice`)
    }
    known.isThere = isThere
    known.rdata = rdata
    known.ttlSeconds = ttlSeconds
    return undefined
  }

  #rrsetOf({ owner, type }: ResourceRecord): Growing {
    const key = `${type} ${lowerCaseName(owner)}`
    const known = this.#rrsets.get(key)
    if (known !== undefined) return known
    const fresh: Growing = { owner, type, records: new Map() }
    this.#rrsets.set(key, fresh)
    return fresh
  }

  #complete(): DifferenceProgress {
    const { rdata, owner, ttlSeconds } = this.#soaRecord as ResourceRecord
    const soaDifference: RrsetDifference = {
      owner,
      type: types.SOA,
      records: [{ rdata, ttlSeconds, wasThere: false, isThere: true }],
    }
    const rrsets = Array.from(this.#rrsets.values(), ({ records, ...rrset }) => ({
      ...rrset,
      records: [...records.values()],
    }))
    const difference: ReceivedDifference = {
      fromSerial: this.#fromSerial ?? 0,
      soa: this.#soa as SoaNumbers,
      rrsets: [...rrsets, soaDifference],
      outsideCount: this.#outsideCount,
    }
    return { kind: 'complete', difference }
  }
}

function failed(reason: string): DifferenceProgress & { kind: 'failed' } {
  return { kind: 'failed', failure: failure('not-a-transfer', reason) }
}
