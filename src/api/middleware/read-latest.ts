import type { ServerResponse } from 'node:http'

/** Resolves when all acknowledged writes of all nodes are visible here; otherwise with the possible age of the visible data. */
export type CaughtUp = () => Promise<{ readonly staleSeconds: number } | undefined>

/** The state of a node must not depend on whether others can be reached. */
const ownPaths = ['/healthz', '/readyz', '/metrics']

/** Resolves once this server has all writes that others have acknowledged: a client that writes at one node and reads at another
 *  sees its write. Where that cannot be determined, the response gives the possible age of its data. */
export async function readLatest(
  caughtUp: CaughtUp,
  path: string,
  response: ServerResponse,
): Promise<void> {
  if (ownPaths.includes(path)) return
  const stale = await caughtUp()
  if (stale !== undefined) response.setHeader('zonewright-stale', String(stale.staleSeconds))
}
