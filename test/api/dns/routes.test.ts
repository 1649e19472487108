import { readFileSync } from 'node:fs'
import t from 'tap'
import { dnsRoutes } from '../../../src/api/dns/routes.ts'
import { routeTable } from '../../../src/api/route-table.ts'
import { openDns } from '../../helpers/dns.ts'

const readme = readFileSync(new URL('../../../src/api/README.md', import.meta.url), 'utf8')

const routes = dnsRoutes(await openDns())

t.test('every route of the DNS group is in the API reference', async t => {
  for (const { method, path } of routes) {
    t.ok(readme.includes(`| \`${method} /v2${path}\` |`), `${method} /v2${path}`)
  }
})

t.test('no two routes answer the same request', async t => {
  t.doesNotThrow(() => routeTable(routes))
})
