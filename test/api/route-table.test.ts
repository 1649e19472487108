import t from 'tap'
import type { Method, Route } from '../../src/api/route.ts'
import { routeTable } from '../../src/api/route-table.ts'

const handler = async () => ({ status: 200 })

function route(method: Method, path: string): Route {
  return { method, path, rule: 'get_zone', summary: 'A test', answers: {}, handler }
}

function publicRoute(method: Method, path: string): Route {
  return { method, path, access: 'public', summary: 'A test', answers: {}, handler }
}

t.test('routes of one path are told together, in one order', async t => {
  const [zones] = routeTable([route('POST', '/zones'), route('GET', '/zones')])
  t.equal(zones?.allow, 'GET, POST')
  t.equal(zones?.isPublic, false)
})

t.test('HEAD is for what anyone may look at only', async t => {
  const [health] = routeTable([publicRoute('GET', '/healthz')])
  t.equal(health?.allow, 'GET, HEAD')
  t.equal(health?.byMethod.get('HEAD'), health?.byMethod.get('GET'))
  const [zones] = routeTable([route('GET', '/zones')])
  t.equal(zones?.byMethod.get('HEAD'), undefined)
})

t.test('a literal segment is tried before a parameter at its place', async t => {
  const table = routeTable([
    route('GET', '/zones/:zone_id/recordsets'),
    route('GET', '/zones/:zone_id'),
    route('GET', '/zones/tasks/imports'),
    route('GET', '/zones/tasks'),
  ])
  const paths = table.map(({ path }) => path)
  t.ok(paths.indexOf('/zones/tasks/imports') < paths.indexOf('/zones/:zone_id/recordsets'))
  t.ok(paths.indexOf('/zones/tasks') < paths.indexOf('/zones/:zone_id'))
})

t.test('two routes for the same requests are a mistake', async t => {
  t.throws(() => routeTable([route('GET', '/zones'), route('GET', '/zones')]), /declared twice/)
  const paths = [route('GET', '/zones/:zone_id'), route('PATCH', '/zones/:id')]
  t.throws(() => routeTable(paths), /same path/)
})
