import t from 'tap'
import { dnsRoutes } from '../../../src/api/dns/routes.ts'
import { RouteTable } from '../../../src/api/route-table.ts'
import { openDns } from '../../helpers/dns.ts'

const routes = dnsRoutes(await openDns())

t.test('no two routes answer the same request', async t => {
  t.doesNotThrow(() => new RouteTable(routes))
})
