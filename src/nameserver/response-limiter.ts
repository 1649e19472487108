import { rcodes, types } from '../dns/codes.ts'
import { flags, headerOctets, rcodeOf } from '../dns/header.ts'
import type { TableReader } from '../zone/table/zone-view.ts'
import type { ResponseCounter } from './response-counter.ts'
import { type RateLimitHandle, ResponseRateLimit, verdicts } from './response-rate-limit.ts'

/** Root owner, type, class, TTL and RDLENGTH. */
const optOctets = 11
const maxAddressOctets = 16

/** Kinds of responses. What has the same kind and is about the same name is the same to whoever is sent it. */
const kinds = { error: 0, nxDomain: 1, referral: 2, noData: 3, data: 4 } as const

/** Who is answered, and when. */
export type ClientSource = {
  /** Writes the address that request `i` came from to the start of `into` and returns its octets, 4 or 16. Asked over UDP
   *  only. */
  readClient(i: number, into: Uint8Array): number
  /** Seconds of a clock that all threads of the process have in common and that nobody sets. */
  nowSeconds(): number
}

/** Applies the limit to finished responses of one thread. */
export class ResponseLimiter {
  readonly #limit: ResponseRateLimit
  readonly #reader: TableReader
  readonly #target: number
  readonly #counter: ResponseCounter
  readonly #client = new Uint8Array(maxAddressOctets)
  #clients: ClientSource | undefined
  #nowSeconds = 0

  constructor(
    handle: RateLimitHandle,
    { reader, target }: { readonly reader: TableReader; readonly target: number },
    counter: ResponseCounter,
  ) {
    this.#limit = new ResponseRateLimit(handle)
    this.#reader = reader
    this.#target = target
    this.#counter = counter
  }

  /** Begins a batch: its responses are all of one second. */
  begin(clients: ClientSource): void {
    this.#clients = clients
    this.#nowSeconds = clients.nowSeconds()
  }

  /** Decides on the response to request `i`, which was noted last by the counter, and returns how many octets of it are to
   *  be sent: all, fewer, or 0. */
  limit(i: number, response: Uint8Array, octets: number): number {
    const addressOctets = this.#clients?.readClient(i, this.#client) ?? 0
    if (addressOctets === 0) return octets
    const answer = this.#identify(response, octets)
    switch (this.#limit.judge(this.#client, addressOctets, answer, this.#nowSeconds)) {
      case verdicts.send:
        return octets
      case verdicts.truncate: {
        const left = truncate(response, octets)
        this.#counter.truncateLast(left)
        return left
      }
      default:
        this.#counter.dropLast()
        return 0
    }
  }

  /** Returns what is said, as a number. Names that anybody can invent are those of what they were answered from: NXDOMAIN
   *  is the zone's, what comes of a wildcard or a DNAME or is below a cut is the nearest name's that exists. */
  #identify(response: Uint8Array, octets: number): number {
    const bits = u16(response, 2)
    const rcode = rcodeOf(bits)
    const { key, lookup } = this.#reader
    const isOfZone = rcode === rcodes.noError || rcode === rcodes.nxDomain
    const zone =
      isOfZone && u16(response, 4) === 1 && key.readOctets(response, headerOctets, octets)
        ? lookup.findZone(this.#target, key)
        : 0
    if (zone === 0) return kinds.error + rcode * 8
    if (rcode === rcodes.nxDomain) {
      return kinds.nxDomain ^ key.hashFrom(key.labelCount - lookup.apexLabelCount(zone))
    }
    const name = lookup.existingNameHash(zone, key)
    if (u16(response, 6) > 0) return kinds.data ^ name
    return ((bits & flags.authoritative) === 0 ? kinds.referral : kinds.noData) ^ name
  }
}

/** Leaves the header with TC, the question and the OPT of a response, so that a client that is real asks over TCP, and
 *  returns its length. One that has no records is as short already, and nothing of it is missing. */
function truncate(response: Uint8Array, octets: number): number {
  const hasRecords = u16(response, 6) + u16(response, 8) > 0
  if (!hasRecords) return octets
  let end = headerOctets
  while (response[end] !== 0) end += 1 + (response[end] as number)
  end += 5
  const optAt = octets - optOctets
  const hasOpt = response[optAt] === 0 && u16(response, optAt + 1) === types.OPT
  response[2] = (response[2] as number) | (flags.truncated >>> 8)
  for (let at = 6; at < headerOctets; at += 1) response[at] = 0
  if (!hasOpt) return end
  response[headerOctets - 1] = 1
  response.copyWithin(end, optAt, octets)
  return end + optOctets
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}
