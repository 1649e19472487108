import { existsSync, readdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import express, { type NextFunction, type Request, type Response, type Router } from 'express'
import helmet from 'helmet'
import { commonHeaders } from './middleware/common-headers.ts'

/** Where the pages of the console are served. */
const consoleBase = '/console'

const page = 'index.html'

/** Pages load only resources of this server, and run no inline scripts. */
const pagePolicy = helmet.contentSecurityPolicy({
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    fontSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
})

/** Answers a request for a page, and calls `next` with any other. */
export type Pages = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** Serves the built pages of the console from a folder: its files under `/console/assets`, the page under all other paths below
 *  `/console`, and a redirect from `/` for browsers. Undefined where none are built. */
export function consolePages(folder: string): Pages | undefined {
  if (!existsSync(join(folder, page))) return undefined
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.enable('case sensitive routing')
  app.get('/', (request: Request, response: Response, next: NextFunction) => {
    if (prefersPages(request))
      response.set(commonHeaders(response)).redirect(302, `${consoleBase}/`)
    else next()
  })
  app.use(consoleBase, (_request: Request, response: Response, next: NextFunction) => {
    response.set(commonHeaders(response))
    next()
  })
  app.use(`${consoleBase}/assets`, assets(join(folder, 'assets')))
  app.get(
    [consoleBase, `${consoleBase}/*path`],
    pagePolicy,
    (_request: Request, response: Response) => {
      response.setHeader('cache-control', 'no-cache')
      response.sendFile(page, { root: folder })
    },
  )
  return app as Pages
}

/** The best first. */
const encodings = [
  { name: 'br', suffix: '.br' },
  { name: 'gzip', suffix: '.gz' },
] as const

/** Serves the files of a folder, compressed where the build has compressed them and the client accepts that. Their names change
 *  with their content, so browsers may cache them for ever. */
function assets(folder: string): Router {
  const router = express.Router({ caseSensitive: true })
  const files = new Set(existsSync(folder) ? readdirSync(folder) : [])
  router.use((request: Request, response: Response, next: NextFunction) => {
    const name = request.path.slice(1)
    const made = encodings.filter(({ suffix }) => files.has(name + suffix))
    if (made.length > 0) response.vary('accept-encoding')
    const taken = made.find(encoding => request.acceptsEncodings(encoding.name))
    if (taken !== undefined) {
      response.type(extname(name))
      response.setHeader('content-encoding', taken.name)
      request.url = `/${name}${taken.suffix}`
    }
    next()
  })
  router.use(
    express.static(folder, { index: false, redirect: false, immutable: true, maxAge: '1y' }),
    (_request: Request, response: Response) => response.sendStatus(404),
  )
  return router
}

/** API clients accept JSON or anything; only a browser prefers HTML. */
function prefersPages(request: Request): boolean {
  return request.accepts(['application/json', 'text/html']) === 'text/html'
}
