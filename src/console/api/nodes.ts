import type { Static } from 'typebox'
import type { nodeAnswer } from '../../api/dns/answers.ts'
import { call, send } from './client.ts'

/** A server that shares the store with others, as it last described itself. */
export type Node = Static<typeof nodeAnswer>

export async function listNodes(): Promise<readonly Node[]> {
  return (await call<{ nodes: readonly Node[] }>({ path: '/v2/nodes' })).nodes
}

export async function forgetNode({ name }: Node): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/nodes/${encodeURIComponent(name)}` })
}
