import { flags } from '../dns/header.ts'
import { decodeMessage, maxMessageOctets } from '../dns/message.ts'
import type { TsigSigner } from '../dns/tsig-signer.ts'
import { firstRecord, RecordTransfer } from '../nameserver/record-transfer.ts'
import { maxUdpPayloadOctets, minUdpPayloadOctets } from '../nameserver/request.ts'
import { responseWithoutRecords } from './transfers.ts'

export type DatagramTransfer = {
  /** The request as received. */
  readonly request: Uint8Array
  /** A difference, or the SOA of the version that is served (`TransferContent`). */
  readonly records: Uint8Array
  readonly expireSeconds?: number | undefined
  /** Returns the signer of one response, if the request is signed. */
  readonly newSigner: () => TsigSigner | undefined
}

/** The one message that answers IXFR over UDP: the difference if it fits, otherwise its first SOA, which tells the client
 *  to use TCP (RFC 1995 section 2). */
export function datagramResponse(transfer: DatagramTransfer, nowSeconds: number): Uint8Array {
  const { request, records, newSigner } = transfer
  const wantedOctets = decodeMessage(request).edns?.payloadOctets ?? minUdpPayloadOctets
  const limit = Math.min(Math.max(wantedOctets, minUdpPayloadOctets), maxUdpPayloadOctets)
  const room = new Uint8Array(maxMessageOctets)
  for (const sent of [records, firstRecord(records)]) {
    const response = new RecordTransfer({ ...transfer, records: sent, signer: newSigner() })
    const octets = response.next(room, nowSeconds)
    if (octets <= limit && !response.hasMore) return room.subarray(0, octets)
  }
  return responseWithoutRecords({ octets: request, signer: newSigner() }, flags.truncated)
}
