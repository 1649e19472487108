import { types } from '../dns/codes.ts'
import { headerOctets } from '../dns/header.ts'
import type { TsigSigner } from '../dns/tsig-signer.ts'
import { givenBlock, givenOffset, readEntryName } from '../zone/table/entries.ts'
import { countShift, rrset as rrsetBlock, typeMask } from '../zone/table/layout.ts'
import { TableMemory } from '../zone/table/memory.ts'
import { keyOctets, NameKey } from '../zone/table/name-key.ts'
import { ownerOfEntry } from '../zone/table/zone-signing.ts'
import { type FrozenZone, listHead } from '../zone/table/zone-version.ts'
import { ownerOfNode } from './node-owner.ts'
import { compressibleNames } from './rdata-shapes.ts'
import type { RecordTransferOptions } from './record-transfer.ts'
import { newOwner } from './record-writer.ts'
import { Request } from './request.ts'
import { Response } from './response.ts'
import { ResponseOptions } from './response-options.ts'
import { TransferredOwners } from './transferred-owners.ts'

/** The objects that write zones in one thread; any number of transfers can share them. */
export class TransferWriter {
  readonly memory: TableMemory
  readonly key: NameKey
  readonly response: Response
  readonly owners: TransferredOwners

  constructor(buffer: SharedArrayBuffer) {
    this.memory = new TableMemory(buffer)
    this.key = new NameKey(this.memory)
    this.response = new Response(this.memory, new ResponseOptions(), new Request(this.memory))
    this.owners = new TransferredOwners(this.memory)
  }
}

export type ZoneTransferOptions = Omit<RecordTransferOptions, 'records'> & {
  readonly writer: TransferWriter
  readonly zone: FrozenZone
}

/** The response to AXFR (RFC 5936), message by message: the SOA, all other records, and the SOA again. */
export class ZoneTransfer {
  readonly #writer: TransferWriter
  readonly #request: Request
  readonly #list: Int32Array
  readonly #zone: number
  readonly #signer: TsigSigner | undefined
  readonly #isEncrypted: boolean
  readonly #expireSeconds: number | undefined
  /** RRsets to be put, the SOA at the end included. */
  readonly #count: number
  readonly #rrsetCount: number
  #next = 0
  /** Records of the next RRset that have been put. */
  #putRecords = 0

  constructor({ writer, request, zone, signer, ...others }: ZoneTransferOptions) {
    const { expireSeconds, isEncrypted = false } = others
    this.#isEncrypted = isEncrypted
    this.#expireSeconds = expireSeconds
    this.#writer = writer
    this.#request = new Request(writer.memory)
    this.#list = new Int32Array(zone.list)
    this.#zone = zone.zone
    // Names in the zone point at the question: the client's case must not replace that of the zone.
    const octets = new Uint8Array(request)
    this.#putApex(octets)
    this.#request.read(octets, octets.length, 'tcp')
    this.#rrsetCount = zone.rrsetCount
    this.#count = zone.rrsetCount + 1
    this.#signer = signer
  }

  #putApex(request: Uint8Array): void {
    const { memory, key } = this.#writer
    const node = this.#list[listHead] as number
    readEntryName(memory, key, node)
    const at = givenOffset(memory.words, node)
    const window = memory.windowOf(givenBlock(memory.words, node))
    request.set(window.subarray(at, at + key.lengthOctets), headerOctets)
  }

  /** Whether the table needs its memory back before the transfer ends: the transfer then stays incomplete. */
  get isRevoked(): boolean {
    return Atomics.load(this.#list, 0) !== 0
  }

  /** Whether there is another message. */
  get hasMore(): boolean {
    return this.#next < this.#count
  }

  /** Writes the next message to the start of `room`, and returns its length.
   *  @throws Error a record does not fit into a message. */
  next(room: Uint8Array, nowSeconds: number): number {
    const { response, owners } = this.#writer
    response.begin(this.#request, room)
    owners.begin()
    response.rcode = 0
    response.isAuthoritative = true
    response.isPadded = this.#isEncrypted && this.#request.wantsPadding
    if (this.#signer !== undefined) response.sign(this.#signer, { nowSeconds })
    if (this.#next === 0 && this.#putRecords === 0) this.#putExpire()
    while (this.hasMore && this.#put());
    const octets = response.finish()
    if (room[6] === 0 && room[7] === 0) throw new Error('a record fits into no message')
    return octets
  }

  #putExpire(): void {
    const { response } = this.#writer
    if (!this.#request.wantsExpire || this.#expireSeconds === undefined) return
    response.putExpire(this.#expireSeconds)
  }

  /** Puts as many records of the next RRset as fit; returns whether all did. */
  #put(): boolean {
    const { response, owners, memory } = this.#writer
    const { words } = memory
    const at = listHead + 2 * (this.#next % this.#rrsetCount)
    const node = this.#list[at] as number
    const rrset = this.#list[at + 1] as number
    const head = words[rrset + rrsetBlock.head] as number
    if ((head & typeMask) === types.ALIAS) {
      // An ALIAS is not sent; its addresses are.
      this.#next += 1
      return true
    }
    const owner = this.#ownerOf(node, head & typeMask)
    const recordCount = head >>> countShift
    const before = this.#putRecords
    this.#putRecords = response.putRecords(owner, rrset, before)
    if (owner === newOwner && this.#putRecords > before && node > 0) {
      owners.remember(node, response.lastOwner)
    }
    if (this.#putRecords < recordCount) return false
    this.#putRecords = 0
    this.#next += 1
    return true
  }

  /** Names in rdata can point at the owners of such records: they are mostly names below them, or beside them. */
  #ownerOf(node: number, type: number): number {
    if (node < 0) return this.#nsec3Owner(-node)
    const { memory, key, response, owners } = this.#writer
    if (compressibleNames(type) === 0 || owners.has(node)) return owners.ownerOf(node, response)
    return ownerOfNode(memory, node, { key, response })
  }

  #nsec3Owner(entry: number): number {
    const { memory, key, response } = this.#writer
    key.readName(ownerOfEntry(memory, this.#zone, entry))
    return response.ownerOf(key, key.octets, keyOctets - key.lengthOctets)
  }
}
