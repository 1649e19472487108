import { batchSize, type DatagramBuffers } from './datagram-buffers.ts'
import { families, type Layout, linuxLayout, packetInfo } from './layout.ts'
import { socketAddressOctets } from './socket-address.ts'

// The headers through which the kernel reads and writes the datagrams of a batch. Each buffer has two headers, one to
// receive with and one to send with. Both point to the same peer address and, on sockets for all addresses, to the
// same note of the local address, so an answer is sent from the address that was asked. The headers are written
// once; between batches only lengths change.

export const nameStride = 32
export const controlStride = 64

export const receiveAt = 0
export const sendAt = receiveAt + batchSize * linuxLayout.messageOctets
const receivePartsAt = sendAt + batchSize * linuxLayout.messageOctets
export const sendPartsAt = receivePartsAt + batchSize * linuxLayout.partOctets
export const namesAt = sendPartsAt + batchSize * linuxLayout.partOctets
export const controlsAt = namesAt + batchSize * nameStride

/** Octets of the headers of a socket. */
export const headersOctets = controlsAt + batchSize * controlStride

/** The length of the kernel's note of the local address, and the offset of the interface in it; undefined where the
 *  socket has only one address. */
export function controlNote(socket: {
  readonly family: number
  readonly isWildcard: boolean
}): { readonly octets: number; readonly interfaceAt: number } | undefined {
  if (!socket.isWildcard) return undefined
  return socket.family === families.inet6 ? packetInfo.inet6 : packetInfo.inet
}

export type HeadersOptions = {
  readonly layout: Layout
  readonly buffers: DatagramBuffers
  readonly family: number
  readonly controlOctets: number
  readonly addressOf: (view: Uint8Array) => bigint
}

/** Writes everything that does not change between batches. */
export function writeHeaders(headers: SharedArrayBuffer, options: HeadersOptions): void {
  const { layout, buffers, addressOf } = options
  const view = new DataView(headers)
  const base = addressOf(new Uint8Array(headers))
  const pointer = (at: number, to: bigint): void => view.setBigUint64(at, to, true)

  const writeHeader = (at: number, partAt: number, i: number): void => {
    pointer(at + layout.nameAt, base + BigInt(namesAt + i * nameStride))
    view.setUint32(at + layout.nameOctetsAt, socketAddressOctets(options.family), true)
    pointer(at + layout.partsAt, base + BigInt(partAt))
    view.setUint32(at + layout.partCountAt, 1, true)
    if (options.controlOctets === 0) return
    pointer(at + layout.controlAt, base + BigInt(controlsAt + i * controlStride))
    view.setUint32(at + layout.controlOctetsAt, options.controlOctets, true)
  }

  for (let i = 0; i < batchSize; i += 1) {
    const [request, response] = [buffers.requests[i], buffers.responses[i]]
    if (request === undefined || response === undefined) throw new RangeError('too few buffers')
    const receivePartAt = receivePartsAt + i * layout.partOctets
    const sendPartAt = sendPartsAt + i * layout.partOctets
    writeHeader(receiveAt + i * layout.messageOctets, receivePartAt, i)
    writeHeader(sendAt + i * layout.messageOctets, sendPartAt, i)
    pointer(receivePartAt + layout.baseAt, addressOf(request))
    view.setUint32(receivePartAt + layout.baseOctetsAt, request.length, true)
    pointer(sendPartAt + layout.baseAt, addressOf(response))
  }
}
