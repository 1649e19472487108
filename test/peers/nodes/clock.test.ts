import t from 'tap'
import { beginSharedStore } from '../../../src/store/shared/shared-store.ts'
import type { Transaction } from '../../../src/store/store.ts'
import { adminToken } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { until } from '../../helpers/until.ts'

const hour = 3_600_000

t.test('a node whose clock is off answers, and changes nothing until it is right', async t => {
  const cluster = await openNodes(t)
  const sound = await cluster.start('zw1')
  // Its clock stands still, and a busy machine may take its time.
  const options = { maxClockOffSeconds: 1800 }
  const off = await cluster.startClocked('zw2', Date.now(), options)
  const body = { name: 'example.com.', email: 'ops@example.com' }
  const { id } = await off.call<{ id: string }>('POST', '/v2/zones', { body })
  const request = (path: string, body?: object) =>
    fetch(off.apiUrl + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'x-auth-token': adminToken, 'content-type': 'application/json' },
      body: JSON.stringify(body) ?? null,
    })
  const add = (name: string) => {
    const recordset = { name: `${name}.example.com.`, type: 'A', records: ['192.0.2.1'] }
    return request(`/v2/zones/${id}/recordsets`, recordset)
  }
  const isReady = async () => (await request('/readyz')).ok
  t.equal((await add('before')).status, 201)
  t.ok(await isReady())

  await off.advance(hour)
  const refused = await add('refused')
  t.equal(refused.status, 503)
  t.ok(refused.headers.get('retry-after'))
  const { message } = (await refused.json()) as { message: string }
  t.match(message, /change is not made: the clock of this node is 3[56]\d\d\S* s ahead of that of/)
  const readiness = await request('/readyz')
  t.equal(readiness.status, 503)
  t.match(await readiness.json(), { reasons: [/clock of this node/], read_only: true })
  t.match(await (await request('/metrics')).text(), /^zonewright_read_only 1$/m)

  await sound.json('POST', `/v2/zones/${id}/recordsets`, {
    ...{ name: 'other.example.com.', type: 'A', records: ['192.0.2.2'] },
  })
  const addresses = () => queryAddresses(off.dns, 'other.example.com.')
  t.same(await until(addresses, found => found.length > 0), ['192.0.2.2'])
  t.same(await queryAddresses(off.dns, 'refused.example.com.'), [])
  const problemOf = async () => {
    const { nodes } = await sound.json<{
      nodes: readonly { name: string; problem: string | null }[]
    }>('GET', '/v2/nodes')
    return nodes.find(({ name }) => name === 'zw2')?.problem
  }
  t.match(await until(problemOf), /^the clock of this node is 3[56]\d\d/)

  await off.advance(-hour)
  await until(isReady)
  t.equal((await add('after')).status, 201)
  await until(problemOf, found => found === null)
})

t.test('a turn in which the clock turns out to be off ends without a change', async t => {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  let aheadMillis = 0
  const store = await beginSharedStore({
    directory: serverFolder(t),
    clock: { nowMillis: () => Date.now() + aheadMillis },
    engine: { urls: [server.url], node: 'one', acceptsLoss: true },
  })
  t.teardown(() => store.close())
  await store.loadRecordsets()
  store.setCommitListener(() => undefined)
  const put = (id: string) =>
    store.commit((tx: Transaction) => {
      const stamp = { id, version: 1, createdAt: tx.atMicros, updatedAt: null }
      tx.put('tlds', { ...stamp, name: id, description: null })
    })
  await put('a')
  aheadMillis = 90_000
  t.equal(store.readOnlyReason, undefined, 'nobody has looked since')
  await t.rejects(put('b'), { name: 'StoreUnavailableError', message: /not made: the clock of/ })
  t.match(store.readOnlyReason, /^the clock of this node is [6-9]\d\S* s ahead/)
  aheadMillis = 0
  await until(() => store.readOnlyReason === undefined)
  await put('c')
  t.equal(store.lastLsn, 2)
})
