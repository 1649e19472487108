import t from 'tap'
import type { Method, Route } from '../../src/api/route.ts'
import { RouteTable } from '../../src/api/route-table.ts'

const handler = async () => ({ status: 200 })

function route(method: Method, path: string): Route {
  return { method, path, rule: 'get_zone', summary: 'A test', answers: {}, handler }
}

function publicRoute(method: Method, path: string): Route {
  return { method, path, access: 'public', summary: 'A test', answers: {}, handler }
}

function routesOf(path: string, routes: readonly Route[]) {
  return new RouteTable(routes).find(path)?.routes
}

t.test('routes of one path are told together, in one order', async t => {
  const zones = routesOf('/zones', [route('POST', '/zones'), route('GET', '/zones')])
  t.equal(zones?.allow, 'GET, POST')
  t.equal(zones?.isPublic, false)
})

t.test('HEAD is for what anyone may look at only', async t => {
  const health = routesOf('/healthz', [publicRoute('GET', '/healthz')])
  t.equal(health?.allow, 'GET, HEAD')
  t.equal(health?.byMethod.get('HEAD'), health?.byMethod.get('GET'))
  const zones = routesOf('/zones', [route('GET', '/zones')])
  t.equal(zones?.byMethod.get('HEAD'), undefined)
})

t.test('a literal segment is tried before a parameter at its place', async t => {
  const table = new RouteTable([
    route('GET', '/zones/:zone_id/recordsets'),
    route('GET', '/zones/:zone_id'),
    route('GET', '/zones/tasks/imports'),
    route('GET', '/zones/tasks'),
    route('GET', '/'),
  ])
  const found = (path: string) => {
    const { routes, parameters } = table.find(path) ?? {}
    return routes && [routes.path, { ...parameters }]
  }
  for (const [path, expected] of [
    ['/zones/tasks', ['/zones/tasks', {}]],
    ['/zones/tasks/', ['/zones/tasks', {}]],
    ['/zones/tasks/imports', ['/zones/tasks/imports', {}]],
    ['/zones/tasks/recordsets', ['/zones/:zone_id/recordsets', { zone_id: 'tasks' }]],
    ['/zones/a%2Fb', ['/zones/:zone_id', { zone_id: 'a/b' }]],
    ['/', ['/', {}]],
    ['/zones', undefined],
    ['/Zones/tasks', undefined],
    ['/zones//recordsets', undefined],
    ['/zones/1/recordsets//', undefined],
    ['/zones/1/recordsets/2', undefined],
    ['*', undefined],
  ] as const)
    t.strictSame(found(path), expected, path)
  t.throws(() => table.find('/zones/%ff'), URIError)
})

t.test('two routes for the same requests are a mistake', async t => {
  const twice = [route('GET', '/zones'), route('GET', '/zones')]
  t.throws(() => new RouteTable(twice), /declared twice/)
  const paths = [route('GET', '/zones/:zone_id'), route('PATCH', '/zones/:id')]
  t.throws(() => new RouteTable(paths), /same path/)
})
