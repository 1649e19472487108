import type { Static } from 'typebox'
import type { nodeAnswer } from '../../api/dns/answers.ts'
import { send } from './client.ts'
import { list } from './lists.ts'

/** A server that shares the store with others, as it last described itself. */
export type Node = Static<typeof nodeAnswer>

export const listNodes = () => list<Node>('nodes', { path: '/v2/nodes' })

export async function forgetNode({ name }: Node): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/nodes/${encodeURIComponent(name)}` })
}
