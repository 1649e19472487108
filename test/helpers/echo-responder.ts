import { parseName } from '../../src/dns/name.ts'
import type { Responder } from '../../src/nameserver/responder.ts'

/** Commands to an echo, given by the first octets. */
export const silent = 'silent'
export const failing = 'failing'
export const deadly = 'deadly'
/** Followed by the name of a zone. */
export const notifying = 'notify '
/** An unsigned UPDATE: echoed only if it is not handed on. */
export const updating = 'update'

/** For answering threads: returns each request, prefixed with the text that it was opened with. */
export function openResponder(greeting: string): Responder {
  if (greeting === 'broken') throw new Error('cannot be opened')
  const front = Buffer.from(greeting, 'latin1')
  const requests: Uint8Array[] = []
  let isInBatch = false
  const responder: Responder = {
    enter() {
      if (isInBatch) throw new Error('entered twice')
      isInBatch = true
    },
    leave() {
      if (!isInBatch) throw new Error('left twice')
      isInBatch = false
    },
    take(i, request, octetCount) {
      if (!isInBatch) throw new Error('told outside of a batch')
      requests[i] = request.subarray(0, octetCount)
    },
    prefetch: () => undefined,
    sent: () => undefined,
    respond(i, response) {
      if (!isInBatch) throw new Error('asked outside of a batch')
      const request = requests[i] ?? new Uint8Array()
      const text = Buffer.from(request).toString('latin1')
      if (text.startsWith(silent)) return 0
      if (text.startsWith(failing)) throw new Error('told to fail')
      if (text.startsWith(deadly)) process.exit(1)
      if (text.startsWith(notifying)) {
        const isTaken = responder.host?.onNotified(
          parseName(text.slice(notifying.length)),
          i,
          undefined,
        )
        if (isTaken === false) return 0
      }
      if (text.startsWith(updating)) {
        const update = { octets: request, apex: parseName('example.'), keyId: undefined }
        const form = { hasEdns: false, isPadded: false }
        if (responder.host?.onUpdate?.(i, { ...update, ...form }) === true) return 0
      }
      const octets = Buffer.concat([front, request])
      const sent = octets.subarray(0, response.length)
      response.set(sent)
      return sent.length
    },
  }
  return responder
}
