import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Clock } from '../../../src/clock.ts'
import type { OpeningStore } from '../../../src/store/lowdb-store.ts'
import { beginSharedStore } from '../../../src/store/shared/shared-store.ts'
import { type Store, StoreUnavailableError } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { commitLogContract } from '../../helpers/commit-log-contract.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { type Cut, Relay } from '../../helpers/relay.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { storeContract } from '../../helpers/store-contract.ts'
import { uuidOf, zoneRow } from '../../helpers/store-rows.ts'

// Stores of this process over one log in a PostgreSQL.

const postgres = Postgres.start()
t.teardown(async () => (await postgres).close())
const folder = serverFolder(t)
let databases = 0

/** The URL of an empty database. */
async function emptyDatabase(): Promise<string> {
  databases += 1
  return (await postgres).createDatabase(`log${databases}`)
}

async function openStore(
  url: string,
  node: string,
  clock: Clock = fakeClock(),
): Promise<OpeningStore> {
  const directory = mkdtempSync(join(folder, 'copy-'))
  const engine = { urls: [url], node, acceptsLoss: true }
  const store = await beginSharedStore({ directory, clock, engine })
  await store.loadRecordsets()
  store.setCommitListener(() => undefined)
  return store
}

storeContract(t, 'shared', async (_, clock) => openStore(await emptyDatabase(), 'one', clock))

async function storesOf(urls: readonly string[]) {
  const stores = await Promise.all(urls.map((url, i) => openStore(url, `node${i}`)))
  return { stores, close: async () => void (await Promise.all(stores.map(store => store.close()))) }
}

for (const storeCount of [1, 2])
  t.test(`the log is a log of commits for ${storeCount}`, t =>
    commitLogContract(
      t,
      async () => {
        const url = await emptyDatabase()
        return storesOf(Array.from({ length: storeCount }, () => url))
      },
      { storeCount, runs: 5 },
    ),
  )

const isOfLog = (first: Buffer) => first.includes(' log\0')

function relayed(url: string, { port }: Relay): string {
  return Object.assign(new URL(url), { port: String(port) }).href
}

t.test('the log is one while connections are cut', async t => {
  const relay = await Relay.start((await postgres).port)
  t.teardown(() => relay.close())
  let runs = 0
  await commitLogContract(
    t,
    async () => {
      const url = await emptyDatabase()
      const opened = await storesOf([relayed(url, relay), url, relayed(url, relay)])
      runs += 1
      const way = runs % 2 === 0 ? 'there' : 'back'
      relay.arm({ way, after: runs % 7, isBehind: runs % 3 === 0 }, isOfLog)
      const close = () => {
        relay.disarm()
        return opened.close()
      }
      return { ...opened, close }
    },
    { storeCount: 3, runs: 14 },
  )
})

/** Makes a change while the connection is cut somewhere. */
async function changeAt(
  t: Test,
  relay: Relay,
  cut: Cut,
  at: { own: Store; other: Store; id: string },
) {
  const { own, other, id } = at
  let runs = 0
  relay.arm(cut, isOfLog)
  const outcome = await own
    .commit(tx => {
      runs += 1
      tx.put('zones', zoneRow({ id, name: `zone${id}.example.` }))
    })
    .catch(error => error)
  await other.shared?.caughtUp()
  const isThere = other.get('zones', id) !== undefined
  const where = JSON.stringify(cut)
  if (outcome === undefined) t.ok(isThere, `acknowledged, so it is there: ${where}`)
  else {
    t.match(outcome, { name: StoreUnavailableError.name, message: /is not made/ }, where)
    t.notOk(isThere, `not made, so it is not there: ${where}`)
  }
  t.ok(runs <= 1, 'it has run once at most')
  return outcome === undefined
}

t.test(
  'wherever the connection is cut in a turn, it is known what became of the change',
  async t => {
    const relay = await Relay.start((await postgres).port)
    t.teardown(() => relay.close())
    const url = await emptyDatabase()
    const { stores, close } = await storesOf([relayed(url, relay), url])
    t.teardown(close)
    const [own, other] = stores as readonly Store[] as [Store, Store]
    let number = 0
    let madeCount = 0
    for (const way of ['there', 'back'] as const) {
      for (const isBehind of [false, true]) {
        for (let after = 0; ; after += 1) {
          number += 1
          const at = { own, other, id: uuidOf(number) }
          if (await changeAt(t, relay, { way, after, isBehind }, at)) madeCount += 1
          if (relay.isArmed) break
        }
        relay.disarm()
      }
    }
    t.ok(number > 8, 'it was cut at several places')
    t.equal(madeCount, number, 'nobody else wrote, so each was made after all')
    t.equal(own.lastLsn, number)
    t.equal(other.lastLsn, number)
  },
)

t.test('the log is cut to what history is kept for, and its last batch stays', async t => {
  const url = await emptyDatabase()
  const store = await openStore(url, 'one')
  t.teardown(() => store.close())
  for (let number = 1; number <= 3; number += 1)
    await store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  const server = await postgres
  t.equal(await server.psql('select count(*) from zw_log', url), '3')
  const seen = "insert into zw_node values ('slow', '', '', '', '[1,1]', '', 2, '')"
  await server.psql(seen, url)
  await store.checkpoint()
  t.equal(await server.psql('select min(first_lsn) from zw_log', url), '2', 'somebody needs it')
  await server.psql("update zw_node set seen_at = now() - interval '2 days'", url)
  await store.checkpoint()
  t.equal(await server.psql('select first_lsn from zw_log', url), '3')
})
