import { readdirSync } from 'node:fs'
import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { isNewerSerial } from '../../../src/dns/serial.ts'
import type { Appliance } from '../../helpers/appliance.ts'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { openNodes } from '../../helpers/nodes.ts'
import type { Postgres } from '../../helpers/postgres.ts'
import { queryAddresses, queryUdp } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'

// A change that is only on the primary of PostgreSQL is not acknowledged, and a node that has served it corrects itself.

const waiting = `select pid from pg_stat_activity where application_name like 'zonewright % log' and wait_event = 'SyncRep'`

/** Cancels the wait of a commit for its standby, as an impatient operator does.
 *  @returns the session */
async function cancelWait(server: Postgres, except = '0'): Promise<string> {
  const pid = await until(
    () => server.psql(`${waiting} and pid <> ${except}`),
    found => found !== '',
  )
  await server.psql(`select pg_cancel_backend(${pid})`)
  return pid
}

async function serialAt(node: Appliance, name: string): Promise<number> {
  const { answers } = await queryUdp(node.endpoint(), { name, type: types.SOA })
  const { rdata = new Uint8Array(0) } = answers[0] ?? {}
  return Buffer.from(rdata).readUInt32BE(rdata.length - 20)
}

// A database may speak another language, and keep warnings from its sessions.
for (const settings of [
  {},
  { lc_messages: 'C.UTF-8', client_min_messages: 'error', statement_timeout: '100ms' },
])
  t.test(
    `a commit whose wait for the standby is cancelled is not acknowledged before it is there, with ${JSON.stringify(settings)}`,
    async t => {
      const { postgres, start } = await openNodes(t)
      for (const [name, value] of Object.entries(settings))
        await postgres.psql(`alter database postgres set ${name} = '${value}'`)
      const node = await start('zw1')
      const writers = await NodeWriters.begin([], 'wait.example.', node)
      const [standby] = postgres.standbys
      standby?.freeze()
      let status: number | undefined
      const asked = writers.create(node, 'www').then(answered => {
        status = answered
      })
      const session = await cancelWait(postgres)
      await until(() => postgres.psql(`${waiting} and pid <> ${session}`))
      t.ok(status === undefined || status === 503, 'the node waits again, in another session')
      standby?.thaw()
      await asked
      await until(() => writers.isAnswered(node, 'www'))
    },
  )

t.test('while the standby is away, changes and readiness say that it is', async t => {
  const { postgres, start } = await openNodes(t)
  const node = await start('zw1')
  const writers = await NodeWriters.begin([], 'away.example.', node)
  const [standby] = postgres.standbys
  standby?.freeze()
  const change = { name: 'stuck.away.example.', email: 'ops@example.com' }
  const [first, second] = await Promise.all([
    node.request('POST', '/v2/zones', change),
    node.request('POST', '/v2/zones', { ...change, name: 'other.example.' }),
  ])
  for (const { status } of [first, second]) t.equal(status, 503)
  for (const answer of [first, second])
    t.match(await answer.json(), { message: /waits for its synchronous standby/ })
  const ready = await node.request('GET', '/readyz')
  t.match(await ready.json(), { read_only: true, read_only_reason: /synchronous standby/ })
  t.equal(ready.status, 200, 'it still answers')
  standby?.thaw()
  await until(async () => (await writers.create(node, 'after')) === 201)
  await until(async () => {
    const { read_only } = await node.json<{ read_only: boolean }>('GET', '/readyz')
    return !read_only
  })
})

t.test('a primary that no longer waits for a standby takes no changes', async t => {
  const { postgres, start } = await openNodes(t)
  const node = await start('zw1')
  const writers = await NodeWriters.begin([], 'alone.example.', node)
  t.equal(await writers.create(node, 'before'), 201)
  await postgres.standAlone()
  t.equal(await writers.create(node, 'alone'), 503)
  await postgres.psql(`alter system set synchronous_standby_names = 'ANY 1 (*)'`)
  await postgres.psql('select pg_reload_conf()')
  await until(async () => (await writers.create(node, 'after')) === 201)
  t.same(await queryAddresses(node.endpoint(), 'alone.alone.example.'), [])
})

t.test('a primary that is cut off from its standby acknowledges nothing', async t => {
  const { postgres: old, start, directoryOf } = await openNodes(t)
  const earlier = { ZONEWRIGHT_STORE_URL: old.url }
  const writing = await start('zw1', earlier)
  const following = await start('zw2', earlier)
  const writers = await NodeWriters.begin([writing, following], 'zombie.example.')
  await writers.more()
  await writers.stop()
  const [promoted] = old.standbys as readonly [Postgres]
  await promoted.promote()
  await promoted.standby()
  const status = writers.create(writing, 'lost')
  // From then on others see it.
  await cancelWait(old)
  await until(() => writers.isAnswered(following, 'lost'))
  const served = await serialAt(following, 'zombie.example.')
  t.equal(await status, 503)
  await writing.stop()
  await following.stop()
  const later = { ZONEWRIGHT_STORE_URL: promoted.url }
  const other = await start('zw1', later)
  const others = await NodeWriters.begin([other], 'other.example.')
  await others.more()
  await others.stop()
  const after = await start('zw2', later)
  t.match(after.startLog, /has lost changes/)
  t.ok(readdirSync(directoryOf('zw2')).some(name => /^lost-\d+-\d+\.ndjson$/.test(name)))
  for (const node of [after, other]) {
    await until(async () => isNewerSerial(await serialAt(node, 'zombie.example.'), served))
    t.same(await queryAddresses(node.endpoint(), 'lost.zombie.example.'), [])
  }
  await writers.requireAll(t, [after, other])
  await others.requireAll(t, [after, other])
})
