import type { NextFunction, Request, Response } from 'express'

/** Resolves when all acknowledged writes of all nodes are visible here; otherwise with the possible age of the visible data. */
export type CaughtUp = () => Promise<{ readonly staleSeconds: number } | undefined>

/** The state of a node must not depend on whether others can be reached. */
const ownPaths = ['/healthz', '/readyz', '/metrics']

/** Answers a request once this server has all writes that others have acknowledged: a client that writes at one node and reads
 *  at another sees its write. Where that cannot be determined, the answer gives the possible age of its data. */
export function readLatest(caughtUp: CaughtUp) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    if (ownPaths.includes(request.path)) {
      next()
      return
    }
    const stale = await caughtUp()
    if (stale !== undefined) response.setHeader('zonewright-stale', String(stale.staleSeconds))
    next()
  }
}
