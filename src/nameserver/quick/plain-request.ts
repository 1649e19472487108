import { classes, types } from '../../dns/codes.ts'
import { maxEdnsOptions } from '../../dns/edns.ts'
import { headerOctets } from '../../dns/header.ts'
import { maxMessageOctets } from '../../dns/message.ts'
import type { TableMemory } from '../../zone/table/memory.ts'
import { NameKey } from '../../zone/table/name-key.ts'
import type { Transport } from '../process-query.ts'
import { maxUdpPayloadOctets } from '../response.ts'

/** QR and the opcode: a query has none of them set. */
const notAQuery = 0xf800
const minUdpPayloadOctets = 512
const optFixedOctets = 10
const dnssecOkFlag = 0x80

/** A request of the usual form, read where it lies: one question of class IN for a type that can be data, and
 *  nothing else but an OPT. Everything else is left to `query.ts`, which knows what each form earns. */
export class PlainRequest {
  /** Whether what was read last is of that form; if not, only where it lies and how it came is known of it. */
  isPlain = false
  octets: Uint8Array = noOctets
  /** Where the request ends in them. */
  end = 0
  transport: Transport = 'udp'
  /** The name asked for. */
  readonly key: NameKey
  qtype = 0
  /** Whether `zone` has been found for it (`RequestBatch`): the one that the name is in, 0 for none. */
  hasZone = false
  zone = 0
  /** Where the question ends. */
  questionEnd = 0
  /** What the response may have at most. */
  limitOctets = 0
  hasEdns = false
  isDnssecOk = false

  constructor(memory: TableMemory) {
    this.key = new NameKey(memory)
  }

  /** Reads the first `end` octets. */
  read(octets: Uint8Array, end: number, transport: Transport): void {
    this.octets = octets
    this.end = end
    this.transport = transport
    this.hasZone = false
    this.isPlain = this.#readPlain()
  }

  #readPlain(): boolean {
    const { octets, end, transport } = this
    if (end < headerOctets || (u16(octets, 2) & notAQuery) !== 0) return false
    const hasOneQuestion = u16(octets, 4) === 1 && u16(octets, 6) === 0 && u16(octets, 8) === 0
    if (!hasOneQuestion || !this.key.readOctets(octets, headerOctets, end)) return false
    const at = headerOctets + this.key.lengthOctets
    if (at + 4 > end || u16(octets, at + 2) !== classes.in) return false
    this.qtype = u16(octets, at)
    this.questionEnd = at + 4
    this.limitOctets = transport === 'tcp' ? maxMessageOctets : minUdpPayloadOctets
    return isDataType(this.qtype) && this.#readOpt()
  }

  /** Reads the OPT, if there is one; nothing else may follow the question. */
  #readOpt(): boolean {
    const { octets, end, questionEnd: at } = this
    const additionalCount = u16(octets, 10)
    this.hasEdns = additionalCount === 1
    this.isDnssecOk = false
    if (additionalCount === 0) return at === end
    if (additionalCount !== 1 || at + 1 + optFixedOctets > end) return false
    const isVersion0 = octets[at] === 0 && u16(octets, at + 1) === types.OPT && octets[at + 6] === 0
    if (!isVersion0) return false
    this.isDnssecOk = ((octets[at + 7] as number) & dnssecOkFlag) !== 0
    if (this.transport === 'udp') {
      const wanted = Math.min(u16(octets, at + 3), maxUdpPayloadOctets)
      this.limitOctets = Math.max(wanted, minUdpPayloadOctets)
    }
    const optionsAt = at + 1 + optFixedOctets
    return optionsAt + u16(octets, at + 9) === end && areOptions(octets, optionsAt, end)
  }
}

const noOctets = new Uint8Array()

/** Message parts, transfers, ANY and what is obsolete have rules of their own. */
function isDataType(type: number): boolean {
  return type !== types.OPT && (type < types.TSIG || type > types.ANY)
}

/** All options are unknown and ignored (RFC 6891 section 6.1.2), but have to be options. */
function areOptions(octets: Uint8Array, start: number, end: number): boolean {
  let at = start
  for (let count = 0; at < end; count += 1) {
    if (count === maxEdnsOptions || at + 4 > end) return false
    at += 4 + u16(octets, at + 2)
  }
  return at === end
}

function u16(octets: Uint8Array, at: number): number {
  return ((octets[at] as number) << 8) | (octets[at + 1] as number)
}
