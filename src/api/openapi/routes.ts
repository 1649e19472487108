import { createReadStream } from 'node:fs'
import { Type } from 'typebox'
import { ApiError } from '../../errors.ts'
import { type Reply, type Route, route } from '../route.ts'
import type { Mount } from '../route-table.ts'
import { openApiDocument } from './document.ts'
import { anything, text } from './fields.ts'

const title = 'Zonewright API'
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</html>
`

// `tryItOutEnabled` stays off, so no request is sent until the user starts one.
const start = `SwaggerUIBundle({
  url: new URL('../openapi.json', document.currentScript.src).href,
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  validatorUrl: null,
})
`

/** What the page may load: its own files, the document, and the pictures that are written in the style sheet. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const packageFiles: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
}

/** The OpenAPI document of the served routes, and a page that shows it. Any client may read them: they reveal no stored data.
 *  The document is generated at the first request, and the files of the page are read at each request. */
export function documentRoutes(
  mounts: () => readonly Mount[],
  about: { readonly version: string },
): readonly Route[] {
  let document: string | undefined
  return [
    route('GET /openapi.json', {
      access: 'public',
      summary: 'Shows this document',
      answers: { 200: anything({ openapi: '3.1.1' }) },
      async handler() {
        document ??= JSON.stringify(openApiDocument(mounts(), about))
        return { status: 200, headers: { 'content-type': 'application/json' }, text: document }
      },
    }),
    route('GET /docs', {
      access: 'public',
      summary: 'Shows this document as a page',
      produces: 'text/html',
      answers: { 200: text('<!doctype html>') },
      handler: async () => ({ ...file('text/html; charset=utf-8'), text: page }),
    }),
    route('GET /docs/:file', {
      access: 'public',
      summary: 'Sends a file of that page',
      produces: ['text/javascript', 'text/css'],
      answers: { 200: Type.String() },
      refusals: ['not_found'],
      handler: async ({ parameters: { file: name = '' } }) => pageFile(name),
    }),
  ]
}

function file(type: string): Pick<Reply, 'status'> & { headers: Record<string, string> } {
  return { status: 200, headers: { 'content-type': type, 'content-security-policy': pagePolicy } }
}

/** @throws ApiError not_found */
function pageFile(name: string): Reply {
  if (name === 'start.js') return { ...file('text/javascript; charset=utf-8'), text: start }
  const type = Object.hasOwn(packageFiles, name) ? packageFiles[name] : undefined
  if (type === undefined) throw new ApiError('not_found', 'resource not found')
  const path = new URL(import.meta.resolve(`swagger-ui-dist/${name}`))
  return { ...file(type), stream: () => textOf(path) }
}

async function* textOf(path: URL): AsyncGenerator<string> {
  yield* createReadStream(path, 'utf8')
}
