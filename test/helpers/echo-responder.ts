import type { Responder } from '../../src/nameserver/responder.ts'

/** What an echo is asked by its first octets. */
export const silent = 'silent'
export const failing = 'failing'
export const deadly = 'deadly'

/** For answering threads: sends back what it gets, with what it was opened with in front. */
export function openResponder(greeting: string): Responder {
  if (greeting === 'broken') throw new Error('cannot be opened')
  const front = Buffer.from(greeting, 'latin1')
  let isInBatch = false
  return {
    enter() {
      if (isInBatch) throw new Error('entered twice')
      isInBatch = true
    },
    leave() {
      if (!isInBatch) throw new Error('left twice')
      isInBatch = false
    },
    respond(request, requestOctets, response) {
      if (!isInBatch) throw new Error('asked outside of a batch')
      const text = Buffer.from(request.subarray(0, requestOctets)).toString('latin1')
      if (text.startsWith(silent)) return 0
      if (text.startsWith(failing)) throw new Error('told to fail')
      if (text.startsWith(deadly)) process.exit(1)
      const octets = Buffer.concat([front, request.subarray(0, requestOctets)])
      const sent = octets.subarray(0, response.length)
      response.set(sent)
      return sent.length
    },
  }
}
