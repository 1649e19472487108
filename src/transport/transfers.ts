import { decodeMessage, encodeMessage, maxMessageOctets } from '../dns/message.ts'
import { formatName } from '../dns/name.ts'
import { signed } from '../dns/tsig-signer.ts'
import {
  RecordTransfer,
  type RecordTransferOptions,
  responseEdns,
  responseFlagsFor,
} from '../nameserver/record-transfer.ts'
import type { TransferRequest } from '../nameserver/transfer.ts'
import { TransferWriter, ZoneTransfer } from '../nameserver/zone-transfer.ts'
import type { FrozenZone } from '../zone/table/zone-version.ts'
import { unixSeconds } from './answer.ts'
import { framed, lengthOctets } from './frames.ts'
import type { ClientCertificate } from './tls-client.ts'

/** A request to the code that knows who may transfer which zone. It can be sent to another thread. */
export type TransferWanted = {
  /** In lower case, as text. */
  readonly zone: string
  /** Of IXFR: the client's serial. */
  readonly serial: number | undefined
  /** The id of the key that signed the request. */
  readonly keyId: string | undefined
  /** The client's address, an IP literal. */
  readonly address: string
  /** The certificate that the client presented over TLS. */
  readonly certificate?: ClientCertificate | undefined
  /** Whether the response must fit one datagram: then neither a large difference nor the zone is offered. */
  readonly isDatagram?: boolean
  /** Whether the SOA is offered in place of a difference, which takes time to make. */
  readonly isSoaEnough?: boolean
}

/** The content to send, in a form that can be given to another thread. */
export type TransferContent = (
  | { readonly kind: 'zone'; readonly zone: FrozenZone }
  /** The changes of the zone (RFC 1995), or its SOA if there are none. */
  | {
      readonly kind: 'records'
      readonly content: 'difference' | 'soa'
      readonly records: Uint8Array
    }
) & {
  /** How long the zone is valid. */
  readonly expireSeconds?: number
}

/** The content to send, or why none is sent. */
export type TransferOffer =
  | { readonly kind: 'refused'; readonly rcode: number }
  | (TransferContent & {
      /** To be called when the content is no longer read. */
      release(): void
    })

/** The client, as far as known from the connection. */
export type TransferringClient = Pick<TransferWanted, 'address' | 'certificate'> & {
  /** Whether the connection is encrypted. */
  readonly isEncrypted?: boolean
}

export type OfferTransfer = (wanted: TransferWanted) => Promise<TransferOffer>

/** Longer than any client takes that wants the zone; meanwhile the table cannot free memory, which all zones share. */
const maxTransferMs = 30 * 60_000

/** The zones that are sent over the connections of one event loop. One message is made per turn of the loop, and clients
 *  take turns regardless of how many transfers each has, so that other work waits for at most one message. */
export class Transfers {
  readonly #offer: OfferTransfer
  readonly #waiting = new Map<string, (() => void)[]>()
  #writer: TransferWriter | undefined
  #hasTurn = false

  constructor(offer: OfferTransfer) {
    this.#offer = offer
  }

  /** Asks for the zone.
   *  @throws Error the zone is not available at the moment. */
  async open(
    request: TransferRequest,
    { isEncrypted, ...client }: TransferringClient,
  ): Promise<OutgoingTransfer> {
    const { apex, serial, signer } = request
    const zone = formatName(apex)
    const offer = await this.#offer({ zone, serial, keyId: signer?.key.id, ...client })
    if (offer.kind === 'refused') return refusal(request, offer.rcode)
    try {
      const transfer = this.#transferOf(offer, { request: request.octets, signer, isEncrypted })
      return outgoing(transfer, offer.release)
    } catch (error) {
      offer.release()
      throw error
    }
  }

  /** Resolves when it is the client's turn for its next message. */
  turn(client: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(client)
    if (waiting === undefined) this.#waiting.set(client, [resolve])
    else waiting.push(resolve)
    this.#schedule()
    return promise
  }

  #schedule(): void {
    if (this.#hasTurn) return
    this.#hasTurn = true
    setImmediate(() => this.#giveTurn())
  }

  #giveTurn(): void {
    this.#hasTurn = false
    const [first] = this.#waiting
    if (first === undefined) return
    const [client, waiting] = first
    const next = waiting.shift()
    this.#waiting.delete(client)
    if (waiting.length > 0) this.#waiting.set(client, waiting)
    next?.()
    if (this.#waiting.size > 0) this.#schedule()
  }

  #transferOf(
    offer: TransferContent,
    asked: Pick<RecordTransferOptions, 'request' | 'signer' | 'isEncrypted'>,
  ): ZoneTransfer | RecordTransfer {
    const { expireSeconds } = offer
    return offer.kind === 'records'
      ? new RecordTransfer({ ...asked, expireSeconds, records: offer.records })
      : new ZoneTransfer({
          ...asked,
          expireSeconds,
          zone: offer.zone,
          writer: this.#writerOf(offer.zone),
        })
  }

  #writerOf({ memory }: FrozenZone): TransferWriter {
    if (this.#writer?.memory.buffer !== memory) this.#writer = new TransferWriter(memory)
    return this.#writer as TransferWriter
  }
}

/** The messages of one response, each preceded by its length. */
export type OutgoingTransfer = {
  /** Makes the next message; undefined after the last.
   *  @throws Error the response cannot be completed any more, so the connection must be closed. */
  next(): Buffer | undefined
  /** To be called at the end, whether complete or not. */
  end(): void
}

function outgoing(transfer: ZoneTransfer | RecordTransfer, end: () => void): OutgoingTransfer {
  const endsAtMs = performance.now() + maxTransferMs
  return {
    next() {
      if (!transfer.hasMore) return undefined
      if (transfer.isRevoked || performance.now() > endsAtMs) {
        throw new Error('a transfer took too long')
      }
      const frame = Buffer.allocUnsafeSlow(lengthOctets + maxMessageOctets)
      const octets = transfer.next(frame.subarray(lengthOctets), unixSeconds())
      frame.writeUInt16BE(octets)
      return frame.subarray(0, lengthOctets + octets)
    },
    end,
  }
}

function refusal(request: TransferRequest, rcode: number): OutgoingTransfer {
  const frames = [framed(responseWithoutRecords(request, rcode))]
  return { next: () => frames.pop(), end: () => undefined }
}

/** The response to a request for a zone that is not sent.
 *  @param headerFlags beside QR and RD; an rcode is the lowest of them */
export function responseWithoutRecords(
  { octets, signer }: Pick<TransferRequest, 'octets' | 'signer'>,
  headerFlags: number,
): Uint8Array {
  const request = decodeMessage(octets)
  const { header, questions } = request
  const edns = responseEdns(request)
  const response = encodeMessage({
    header: { id: header.id, flags: headerFlags | responseFlagsFor(header) },
    questions,
    answers: [],
    authorities: [],
    additionals: [],
    ...(edns && { edns }),
  })
  return signer ? signed(response, signer, { nowSeconds: unixSeconds() }) : response
}
