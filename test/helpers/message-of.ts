import type { Answer } from '../../src/transport/answer.ts'

/** Returns the response, which must be a single message.
 *  @throws Error the response is a zone to be sent */
export function messageOf(answered: ReturnType<Answer>): Uint8Array | undefined {
  if (answered === undefined || answered instanceof Uint8Array) return answered
  throw new Error('a zone is to be sent')
}
