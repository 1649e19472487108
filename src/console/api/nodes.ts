import { call, send } from './client.ts'

/** A server that shares the store with others, as it last described itself. */
export type Node = {
  readonly name: string
  readonly url: string
  readonly version: string
  readonly status: 'UP' | 'GONE'
  readonly has_duty: boolean
  readonly seen_seconds_ago: number
  readonly commits_behind: number
  /** Why it takes no changes. */
  readonly problem: string | null
  /** A digest; the same at all nodes with the same settings. */
  readonly settings: string
}

export async function listNodes(): Promise<readonly Node[]> {
  return (await call<{ nodes: readonly Node[] }>({ path: '/v2/nodes' })).nodes
}

export async function forgetNode({ name }: Node): Promise<void> {
  await send({ method: 'DELETE', path: `/v2/nodes/${encodeURIComponent(name)}` })
}
