import {
  controlNote,
  controlStride,
  controlsAt,
  headersOctets,
  nameStride,
  namesAt,
  receiveAt,
  sendAt,
  sendPartsAt,
  writeHeaders,
} from './batch-headers.ts'
import { batchSize, type DatagramBuffers } from './datagram-buffers.ts'
import type { DatagramSocket } from './datagram-socket.ts'
import { errors, families, type Layout, linuxLayout } from './layout.ts'
import {
  decodeSocketAddress,
  ipv4At,
  ipv4Octets,
  ipv6At,
  ipv6Octets,
  portAt,
  socketAddressOctets,
} from './socket-address.ts'
import type { SystemCalls } from './system-calls.ts'

export type BatchSocketOptions = {
  readonly calls: SystemCalls
  readonly socket: DatagramSocket
  /** The caller of `receive` must keep a reference to them: the kernel writes there, and must never be given memory that
   *  the garbage collector has freed. */
  readonly buffers: DatagramBuffers
  readonly layout?: Layout
}

/** Errors that are not temporary failures of a peer or the network. */
const defects: ReadonlySet<number> = new Set([
  errors.badDescriptor,
  errors.badAddress,
  errors.invalid,
  errors.notSocket,
])

/** One socket, read and written in batches: `receive`; then `keep` a response for each request that deserves one, in
 *  order; then `send`. It does not allocate, and no client or network error ends it. */
export class BatchSocket {
  readonly #calls: SystemCalls
  readonly #descriptor: number
  /** The kernel writes here and into the buffers. */
  readonly #octets: Uint8Array
  readonly #words: Uint32Array
  readonly #messageOctets: number
  readonly #partOctets: number
  readonly #lengthAt: number
  readonly #controlOctetsAt: number
  readonly #sendOctetsAt: number
  /** 0 where the local address of a datagram does not matter. */
  readonly #controlOctets: number
  readonly #interfaceAt: number
  readonly #addressAt: number
  readonly #addressOctets: number
  readonly #nameOctets: number
  readonly #receivePointer: bigint
  /** By the number of datagrams already processed: the start of the rest of the batch to send. */
  readonly #sendPointers: readonly bigint[]
  #receivedCount = batchSize

  constructor({ calls, socket, buffers, layout = linuxLayout }: BatchSocketOptions) {
    const headers = new SharedArrayBuffer(headersOctets)
    const note = controlNote(socket)
    this.#calls = calls
    this.#descriptor = socket.descriptor
    this.#octets = new Uint8Array(headers)
    this.#words = new Uint32Array(headers)
    this.#messageOctets = layout.messageOctets
    this.#partOctets = layout.partOctets
    this.#lengthAt = receiveAt + layout.lengthAt
    this.#controlOctetsAt = layout.controlOctetsAt
    this.#sendOctetsAt = sendPartsAt + layout.baseOctetsAt
    this.#controlOctets = note?.octets ?? 0
    this.#interfaceAt = controlsAt + (note?.interfaceAt ?? 0)
    const isIpv6 = socket.family === families.inet6
    this.#addressAt = isIpv6 ? ipv6At : ipv4At
    this.#addressOctets = isIpv6 ? ipv6Octets : ipv4Octets
    this.#nameOctets = socketAddressOctets(socket.family)
    writeHeaders(headers, {
      layout,
      buffers,
      family: socket.family,
      controlOctets: this.#controlOctets,
      addressOf: calls.addressOf,
    })
    const base = calls.addressOf(this.#octets)
    this.#receivePointer = base + BigInt(receiveAt)
    this.#sendPointers = buffers.responses.map(
      (_, i) => base + BigInt(sendAt + i * layout.messageOctets),
    )
  }

  get descriptor(): number {
    return this.#descriptor
  }

  /** Receives at most one batch and returns the number of datagrams; 0 if none arrived. `flags` decide whether it waits for
   *  one, and the socket's timeout how long.
   *  @throws Error the descriptor is no longer a socket. */
  receive(flags: number): number {
    if (this.#controlOctets > 0) this.#makeRoomForNotes()
    const count = this.#calls.recvmmsg(
      this.#descriptor,
      this.#receivePointer,
      batchSize,
      flags,
      null,
    )
    this.#receivedCount = Math.max(count, 0)
    if (count < 0) {
      const errno = this.#calls.errno()
      if (defects.has(errno)) throw new Error(`recvmmsg failed with error ${errno}`)
    }
    return this.#receivedCount
  }

  /** The length of the request at `i`. */
  requestOctets(i: number): number {
    return this.#words[(this.#lengthAt + i * this.#messageOctets) >> 2] ?? 0
  }

  /** Whether an answer can be sent: a forged source can have port 0. */
  isAnswerable(i: number): boolean {
    const at = namesAt + i * nameStride + portAt
    return this.#octets[at] !== 0 || this.#octets[at + 1] !== 0
  }

  /** The source address of the request at `i`, possibly forged. Valid until a response to it, or to a later one, is
   *  kept. */
  peerAddress(i: number): string {
    return decodeSocketAddress(this.#octets.subarray(namesAt + i * nameStride)).host
  }

  /** The same as a socket address, with its port. */
  peerOctets(i: number): Uint8Array {
    const at = namesAt + i * nameStride
    return new Uint8Array(this.#octets.subarray(at, at + this.#nameOctets))
  }

  /** Writes the address of `peerAddress` in binary to `into`, and returns its length, 4 or 16. */
  readPeer(i: number, into: Uint8Array): number {
    const octets = this.#octets
    const at = namesAt + i * nameStride + this.#addressAt
    const length = this.#addressOctets
    for (let k = 0; k < length; k += 1) into[k] = octets[at + k] as number
    return length
  }

  /** Records that response `n` has `responseOctets` octets in answer to request `i`, which is `n` or above.
   *  The peers of requests below `i` are lost. */
  keep(n: number, responseOctets: number, i: number): void {
    if (n !== i) this.#movePeer(n, i)
    this.#words[(this.#sendOctetsAt + n * this.#partOctets) >> 2] = responseOctets
    if (this.#controlOctets > 0) this.#keepNote(n, i)
  }

  /** Sends the first `count` responses and returns how many the kernel took. A refused response is skipped; if the
   *  kernel is too far behind, the rest are dropped as well. */
  send(count: number): number {
    let sentCount = 0
    let next = 0
    while (next < count) {
      const accepted = this.#calls.sendmmsg(
        this.#descriptor,
        this.#sendPointers[next] ?? 0n,
        count - next,
        0,
      )
      if (accepted > 0) {
        sentCount += accepted
        next += accepted
        continue
      }
      const errno = this.#calls.errno()
      if (errno === errors.again) break
      if (errno !== errors.interrupted) next += 1
    }
    return sentCount
  }

  #movePeer(to: number, from: number): void {
    const nameAt = namesAt + from * nameStride
    this.#octets.copyWithin(namesAt + to * nameStride, nameAt, nameAt + nameStride)
    if (this.#controlOctets === 0) return
    const controlAt = controlsAt + from * controlStride
    this.#octets.copyWithin(controlsAt + to * controlStride, controlAt, controlAt + controlStride)
  }

  /** Resets the lengths of the notes, which the kernel has overwritten in each header it used. */
  #makeRoomForNotes(): void {
    for (let i = 0; i < this.#receivedCount; i += 1) {
      this.#words[(receiveAt + i * this.#messageOctets + this.#controlOctetsAt) >> 2] =
        this.#controlOctets
    }
  }

  #keepNote(n: number, i: number): void {
    const notedOctets =
      this.#words[(receiveAt + i * this.#messageOctets + this.#controlOctetsAt) >> 2]
    this.#words[(sendAt + n * this.#messageOctets + this.#controlOctetsAt) >> 2] = notedOctets ?? 0
    // The answer is sent from the address that was asked, but routing chooses the interface.
    this.#words[(this.#interfaceAt + n * controlStride) >> 2] = 0
  }
}
