import { existsSync } from 'node:fs'
import { join } from 'node:path'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import helmet from 'helmet'

/** Where the pages of the console are served. */
export const consoleBase = '/console'

const page = 'index.html'

/** Nothing but what this server serves is loaded, and no script that stands in a page runs. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
})

/** Serves the built pages of the console from a folder: its files under `/console/assets`, the page under all other
 *  addresses below `/console`, and a way there from `/` for browsers. Undefined where none are built. */
export function consolePages(folder: string): Router | undefined {
  if (!existsSync(join(folder, page))) return undefined
  const router = express.Router({ caseSensitive: true })
  router.get('/', (request: Request, response: Response, next: NextFunction) => {
    if (prefersPages(request)) response.redirect(302, `${consoleBase}/`)
    else next()
  })
  // The names of these files change with what is in them.
  const assets = express.static(join(folder, 'assets'), {
    index: false,
    redirect: false,
    immutable: true,
    maxAge: '1y',
  })
  router.use(`${consoleBase}/assets`, assets, (_request: Request, response: Response) =>
    response.sendStatus(404),
  )
  router.get(
    [consoleBase, `${consoleBase}/*path`],
    pagePolicy,
    (_request: Request, response: Response) => {
      response.setHeader('cache-control', 'no-cache')
      response.sendFile(page, { root: folder })
    },
  )
  return router
}

/** API clients take JSON or anything; only a browser asks for HTML first. */
function prefersPages(request: Request): boolean {
  return request.accepts(['application/json', 'text/html']) === 'text/html'
}
