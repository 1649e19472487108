import type { Static } from 'typebox'
import type { topAnswer } from '../../api/dns/answers.ts'
import { call } from './client.ts'

/** The most frequent queries of the last minute. */
export type Top = Static<typeof topAnswer>

export function getTop(): Promise<Top> {
  return call({ path: '/v2/top' })
}
