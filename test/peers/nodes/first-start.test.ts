import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { realFiles } from '../../../src/durable/file-system.ts'
import { unfinishedLsn, writeCopy } from '../../../src/store/shared/copy.ts'
import { beginSharedStore } from '../../../src/store/shared/shared-store.ts'
import type { StoreEvent } from '../../../src/store/write-access.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { Relay } from '../../helpers/relay.ts'
import { uuidOf, zoneRow } from '../../helpers/store-rows.ts'

// A node without a copy of the log has nothing to serve until it has loaded one.

type Report = (event: StoreEvent) => void

async function openStore(url: string, directory: string, report: Report = () => undefined) {
  const engine = { urls: [url], node: 'one', acceptsLoss: true }
  const store = await beginSharedStore({
    ...{ directory, engine, report },
    clock: { nowMillis: () => Date.now() },
  })
  await store.loadRecordsets()
  store.setCommitListener(() => undefined)
  return store
}

/** A server whose log has two zones. */
async function openServer(t: Test) {
  const server = await Postgres.start()
  t.teardown(() => server.close())
  const folder = realpathSync(t.testdir())
  const writer = await openStore(server.url, join(folder, 'writer'))
  for (const number of [1, 2])
    await writer.commit(tx =>
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` })),
    )
  await writer.close()
  return { server, folder }
}

t.test('wherever its connection is cut, a node starts with a whole copy', async t => {
  const { server, folder } = await openServer(t)
  const relay = await Relay.start(server.port)
  t.teardown(() => relay.close())
  const startCut = async (after: number, directory: string) => {
    const way = after % 2 === 0 ? 'back' : 'there'
    relay.arm({ way, after, isBehind: after % 3 === 0 }, first => first.includes(' work\0'))
    const store = await openStore(relay.urlOf(server.url), directory)
    const isCut = !relay.isArmed
    relay.disarm()
    t.equal(store.size('zones'), 2)
    t.equal(store.lastLsn, 2)
    await store.close()
    return isCut
  }
  let after = 0
  for (; await startCut(after, join(folder, `cut${after}`)); after += 1)
    await startCut(after, join(folder, `cut${after}`))
  t.ok(after > 8, `${after} places`)
})

t.test('a first start waits for PostgreSQL, and serves no copy that is not whole', async t => {
  const { server, folder } = await openServer(t)
  const directory = join(folder, 'interrupted')
  const cluster = await server.psql('select cluster from zw_head')
  await writeCopy({ files: realFiles, directory }, { cluster, lsn: unfinishedLsn, link: '' })
  await server.stop()
  const failed = Promise.withResolvers<StoreEvent>()
  const opening = openStore(server.url, directory, failed.resolve)
  t.match(await Promise.race([failed.promise, opening]), { kind: 'renewal-failed' })
  await server.restart()
  const store = await opening
  t.equal(store.size('zones'), 2)
  await store.close()
})

t.test('a first start makes its first rows as soon as a connection lasts', async t => {
  const cluster = await openNodes(t)
  const relay = await Relay.start(cluster.postgres.port)
  t.teardown(() => relay.close())
  let left = 12
  const cutNext = () => {
    if (relay.isArmed || left === 0) return
    left -= 1
    relay.arm({ way: 'back', after: 0, isBehind: false }, first => first.includes(' log\0'))
  }
  const timer = setInterval(cutNext, 5)
  t.teardown(() => clearInterval(timer))
  const url = relay.urlOf(cluster.postgres.url)
  const node = await cluster.start('zw1', { ZONEWRIGHT_STORE_URL: url })
  t.ok(left < 12)
  await node.json('POST', '/v2/zones', { name: 'example.com.', email: 'ops@example.com' })
})
