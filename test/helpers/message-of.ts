import type { Answer } from '../../src/transport/answer.ts'

/** What was answered, where that is one message.
 *  @throws Error a zone is to be sent */
export function messageOf(answered: ReturnType<Answer>): Uint8Array | undefined {
  if (answered === undefined || answered instanceof Uint8Array) return answered
  throw new Error('a zone is to be sent')
}
