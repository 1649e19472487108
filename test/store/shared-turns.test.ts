import t from 'tap'
import { Committer } from '../../src/store/committer.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { StoreUnavailableError } from '../../src/store/store.ts'
import { noPast, storeOver } from '../../src/store/store-over.ts'
import { Tables } from '../../src/store/tables.ts'
import { fakeClock } from '../helpers/clock.ts'
import { commitLogContract } from '../helpers/commit-log-contract.ts'
import { SharedMemoryLog } from '../helpers/shared-memory-log.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { uuidOf, zoneRow } from '../helpers/store-rows.ts'

function storeOn(log: SharedMemoryLog) {
  const tables = new Tables()
  const committer = new Committer({ tables, log: log.end(), clock: fakeClock() })
  return storeOver({ tables, committer, past: noPast, close: async () => undefined })
}

t.test('the log of a store of its own is a log of commits', t =>
  commitLogContract(
    t,
    async () => {
      const files = new SimulatedDisk()
      const store = await openLowdbStore({ directory: '/data', clock: fakeClock(), files })
      return { stores: [store], close: () => store.close() }
    },
    { storeCount: 1, runs: 10 },
  ),
)

t.test('stores that take turns at one log have the same commits', t =>
  commitLogContract(
    t,
    async () => {
      const log = new SharedMemoryLog()
      const stores = [storeOn(log), storeOn(log), storeOn(log)]
      return { stores, close: async () => void (await Promise.all(stores.map(s => s.close()))) }
    },
    { storeCount: 3, runs: 30 },
  ),
)

t.test('a batch that the log refuses is refused alone, and its numbers are used again', async t => {
  const log = new SharedMemoryLog()
  const store = storeOn(log)
  log.refusesNext = true
  const put = (number: number) =>
    store.commit(tx =>
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` })),
    )
  await t.rejects(put(1), { name: StoreUnavailableError.name })
  t.equal(store.readOnlyReason, undefined)
  await put(2)
  t.equal(store.lastLsn, 1)
  t.equal(store.get('zones', uuidOf(1)), undefined)
})
