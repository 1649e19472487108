import { readFileSync } from 'node:fs'
import t from 'tap'
import { ApiError, errorTypes } from '../../src/errors.ts'
import { compile } from '../../src/validator.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// The reference of the API is a page that people read; this holds it to what the server does.

const readme = readFileSync(new URL('../../src/api/README.md', import.meta.url), 'utf8')

/** First and second cells of the rows of a table whose first cell is code. */
function rowsUnder(heading: string): ReadonlyMap<string, string> {
  const section = readme.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.matchAll(/^\| `([^`]+)` \| ([^|]+?) \|/gm)
  return new Map([...rows].map(([, first = '', second = '']) => [first, second]))
}

/** What is in brackets may be left out. */
function withAndWithoutOption(row: string): readonly string[] {
  return [row.replace(/\[.*\]/, ''), row.replace(/[[\]]/g, '')]
}

t.test('every error type is explained with its status, and no other', async t => {
  const rows = rowsUnder('Errors')
  for (const type of errorTypes)
    t.equal(rows.get(type), String(new ApiError(type, '').status), `${type} in src/api/README.md`)
  for (const type of rows.keys())
    t.ok(
      errorTypes.some(known => known === type),
      `${type} exists`,
    )
})

/** Paths that are told once and answer under several names. */
const otherNames: readonly (readonly [RegExp, string])[] = [
  [/^\/dns(?=\/(?:v[12]|admin)(?:\/|$))/, ''],
  [/^\/(?=(?:domains|servers)(?:\/|$))/, '/v1/'],
  [/^\/rating\/v1\/billing\//, '/rating/v1/rating/'],
  [/(.)\/$/, '$1'],
]

t.test('every route that the server has is listed, and no other', async t => {
  const { app } = await startWholeServer(t, { dataDirectory: serverFolder(t) })
  const rows = new Set([...rowsUnder('Routes').keys()].flatMap(withAndWithoutOption))
  const routes = new Set<string>()
  for (const { base, routes: mounted } of app.mounts)
    for (const { method, path, bodySchema } of mounted) {
      // A schema is compiled at its first use, which for some routes is rare.
      if (bodySchema !== undefined)
        t.doesNotThrow(() => compile(bodySchema)({}), `${method} ${path}`)
      const address = otherNames.reduce((text, [from, to]) => text.replace(from, to), base + path)
      routes.add(`${method} ${address}`)
    }
  for (const route of routes) t.ok(rows.has(route), `${route} in src/api/README.md`)
  const isRoute = (row: string) => /^[A-Z]+ \//.test(row)
  for (const row of [...rows].filter(isRoute)) t.ok(routes.has(row), `${row} exists`)
})
