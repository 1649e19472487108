import { readFileSync } from 'node:fs'
import t from 'tap'
import { identityMount } from '../../src/api/identity/mount.ts'
import { ratingMounts } from '../../src/api/rating/mounts.ts'
import { rootMount } from '../../src/api/root.ts'
import { plainVersions } from '../../src/api/versions.ts'
import { ApiError, errorTypes } from '../../src/errors.ts'
import { startRatingApi } from '../helpers/rating-api.ts'

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

t.test('every route of identity, rating and root is listed', async t => {
  const { api, services } = await startRatingApi(t)
  const rows = new Set([...rowsUnder('Routes').keys()].flatMap(withAndWithoutOption))
  const mounts = [
    identityMount(api.identity),
    ...ratingMounts(services),
    rootMount({ versions: plainVersions, readiness: () => [] }),
  ]
  for (const { base, routes } of mounts)
    for (const { method, path } of routes) {
      const address = `${base}${path}`
        .replace(/(.)\/$/, '$1')
        // The same under its name of old.
        .replace('/rating/v1/billing/', '/rating/v1/rating/')
      t.ok(rows.has(`${method} ${address}`), `${method} ${address} in src/api/README.md`)
    }
})
