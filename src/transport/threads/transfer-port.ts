import type { MessagePort } from 'node:worker_threads'
import { rcodes } from '../../dns/codes.ts'
import type { OfferTransfer, TransferContent, TransferOffer, TransferWanted } from '../transfers.ts'

// Requests for zones between a thread that sends zones and the main thread, which knows who may transfer them.

type FromThread =
  | { readonly kind: 'wanted'; readonly number: number; readonly wanted: TransferWanted }
  | { readonly kind: 'released'; readonly number: number }

type ToThread = {
  readonly number: number
  readonly offer: { readonly kind: 'refused'; readonly rcode: number } | TransferContent
}

/** Answers the requests from a port, in the main thread. Returns a function that releases everything its thread was
 *  given, to be called when the thread has ended. */
export function serveTransfers(port: MessagePort, offerTransfer: OfferTransfer): () => void {
  const releases = new Map<number, () => void>()
  let isClosed = false
  const offer = async (wanted: TransferWanted): Promise<TransferOffer> => {
    try {
      return await offerTransfer(wanted)
    } catch {
      return { kind: 'refused', rcode: rcodes.servFail }
    }
  }
  port.on('message', async (message: FromThread) => {
    const { number } = message
    if (message.kind === 'released') {
      releases.get(number)?.()
      releases.delete(number)
      return
    }
    const offered = await offer(message.wanted)
    if (offered.kind === 'refused') {
      port.postMessage({ number, offer: offered } satisfies ToThread)
      return
    }
    const { release, ...content } = offered
    if (isClosed) release()
    else releases.set(number, release)
    port.postMessage({ number, offer: content } satisfies ToThread)
  })
  port.unref()
  return () => {
    isClosed = true
    port.close()
    for (const release of releases.values()) release()
    releases.clear()
  }
}

/** Requests zones through a port, in a thread. */
export function offersBy(port: MessagePort): OfferTransfer {
  const waiting = new Map<number, (offer: TransferOffer) => void>()
  let lastNumber = 0
  port.on('message', ({ number, offer }: ToThread) => {
    const release = () => port.postMessage({ kind: 'released', number } satisfies FromThread)
    waiting.get(number)?.(offer.kind === 'refused' ? offer : { ...offer, release })
    waiting.delete(number)
  })
  port.unref()
  return wanted => {
    lastNumber += 1
    const number = lastNumber
    const { promise, resolve } = Promise.withResolvers<TransferOffer>()
    waiting.set(number, resolve)
    port.postMessage({ kind: 'wanted', number, wanted } satisfies FromThread)
    return promise
  }
}
