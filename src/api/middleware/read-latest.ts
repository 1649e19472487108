import type { NextFunction, Request, Response } from 'express'

/** Resolves when what was acknowledged anywhere is visible here; otherwise with how old what is visible may be. */
export type CaughtUp = () => Promise<{ readonly staleSeconds: number } | undefined>

/** How a node is must not depend on whether others can be asked. */
const ownPaths = ['/healthz', '/readyz', '/metrics']

/** Answers requests when this server has all that others have acknowledged by then: so whoever writes at one and reads at
 *  another sees his write. Where that cannot be known, the answer says how old it may be. */
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
