import t from 'tap'
import { encodeCommit } from '../../../src/store/commit-entry.ts'
import { bodyOf } from '../../../src/store/shared/log-batch.ts'
import { locks } from '../../../src/store/shared/schema.ts'
import type { Change } from '../../../src/store/store.ts'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'

// A rolling upgrade, as the nodes that are still of the version before see it.

const cluster = await openNodes(t)
const { postgres } = cluster

/** Appends a commit with a collection that this version does not know. */
async function appendAsLaterVersion(): Promise<void> {
  const after = { id: 'a', version: 1, createdAt: 1, updatedAt: null }
  const change = { collection: 'inventions', id: 'a', before: undefined, after }
  const rowChanges = [change as unknown as Change]
  const entry = encodeCommit({ lsn: 0, atMicros: 1000 * Date.now(), rowChanges, added: [] })
  const octets = (buffer: Buffer) => `'\\x${buffer.toString('hex')}'::bytea`
  await postgres.psql(
    `begin;
     select pg_advisory_xact_lock(${locks.turn});
     with head as (update zw_head set lsn = lsn + 1, link = sha256(link || ${octets(entry)}) returning lsn, link)
     insert into zw_log select lsn, lsn, link, gen_random_uuid(), 'zw9', ${octets(bodyOf([entry]))} from head;
     insert into zw_row select 'inventions', 'a', lsn, ${octets(Buffer.from(JSON.stringify(after)))} from zw_head;
     commit`,
  )
}

t.test(
  'a node goes on answering when a later version has stored what it does not know',
  async t => {
    const nodes = await Promise.all(['zw1', 'zw2'].map(name => cluster.start(name)))
    const writers = await NodeWriters.begin(nodes, 'upgrade.example.')
    await writers.stop()
    const [one, two] = nodes as [(typeof nodes)[0], (typeof nodes)[0]]
    await appendAsLaterVersion()

    const reason = /a later version has stored "inventions", which this version does not know/
    for (const node of [one, two]) {
      const readiness = async () => (await node.request('GET', '/readyz')).status
      t.equal(await until(readiness, status => status === 503), 503)
      const body = await (await node.request('GET', '/readyz')).json()
      t.match(body, { reasons: [reason], read_only: true, read_only_reason: reason })
      const zone = { name: 'late.example.', email: 'ops@example.com' }
      const refused = await node.request('POST', '/v2/zones', zone)
      t.equal(refused.status, 503)
      t.match(await refused.json(), { message: reason })
    }
    await writers.requireAll(t, nodes)
    await until(async () => {
      const holder = await postgres.psql(
        `select count(*) from pg_locks where locktype = 'advisory' and classid = 0 and objid = ${locks.duty}`,
      )
      return holder === '0'
    })

    await two.stop()
    const again = await cluster.start('zw2')
    const [name = ''] = writers.acknowledged
    t.equal((await queryAddresses(again.endpoint(), name)).length, 1, 'from its copy')
    await t.rejects(cluster.start('zw3'), { message: reason }, 'without a copy there is nothing')
  },
)

t.test('tables of a later format are left alone', async t => {
  const cluster = await openNodes(t)
  const node = await cluster.start('zw1')
  const zone = { name: 'example.com.', email: 'ops@example.com' }
  await node.json('POST', '/v2/zones', zone)
  await cluster.postgres.psql('update zw_head set format = 2')
  const message = /tables in PostgreSQL are of format 2, and this version knows 1/
  await t.rejects(cluster.start('zw2'), { message })
  const late = await node.request('POST', '/v2/zones', { ...zone, name: 'late.example.' })
  t.equal(late.status, 503)
  t.match(await late.json(), { message })
  t.match(await (await node.request('GET', '/readyz')).json(), { reasons: [message] })
  t.equal(
    await cluster.postgres.psql(`select count(*) from zw_row where collection = 'zones'`),
    '1',
  )
})
