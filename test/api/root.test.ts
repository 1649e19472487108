import t from 'tap'
import { rootMount } from '../../src/api/root.ts'
import { plainVersions } from '../../src/api/versions.ts'
import { startApi } from '../helpers/api.ts'

t.test('what stands under no base asks nobody who it is', async t => {
  const { base, routes } = rootMount({
    versions: plainVersions,
    readiness: () => [],
    readOnlyReason: () => undefined,
  })
  t.equal(base, '')
  t.ok(routes.every(({ access }) => access === 'public'))
  t.same(new Set(routes.map(({ path }) => path)), new Set(['/', '/healthz', '/readyz']))
})

t.test('it answers for every path that no other mount has', async t => {
  const { anonymous } = await startApi(t)
  t.match(await anonymous.get('/'), { status: 200, body: { versions: [{ id: 'v2' }] } })
  t.match(await anonymous.get('/nothing'), { status: 404, body: { type: 'not_found' } })
})
