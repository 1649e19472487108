import t from 'tap'
import { openListeners, openPoolServers, partsOf } from '../src/app-servers.ts'
import { Scheduler } from '../src/jobs/scheduler.ts'
import { createLogger } from '../src/log.ts'
import { ensureDefaultPool } from '../src/service/pools.ts'
import { openMemoryStore } from '../src/store/memory-store.ts'
import { fakeClock } from './helpers/clock.ts'
import { openTable } from './helpers/zone-table.ts'

t.test('the parts of the server are those that run, pools’ listeners among them', async t => {
  const logger = createLogger({ level: 'silent' })
  const store = openMemoryStore({ clock: fakeClock() })
  await ensureDefaultPool(store)
  await store.commit(tx =>
    tx.put('pools', {
      id: 'own',
      version: 1,
      createdAt: tx.atMicros,
      updatedAt: null,
      projectId: null,
      name: 'own',
      description: null,
      provisioner: null,
      attributes: { listen: '127.0.0.1:0' },
      nsRecords: [],
    }),
  )
  const table = openTable()
  const zones = table.addTarget()
  const servers = openPoolServers({ store, logger, table, zones })
  const addresses = [{ host: '127.0.0.1', port: 0 }]
  const dns = await openListeners({ table, zones, addresses, logger, threadCount: 1 })
  const run = () => {
    throw new Error('broken')
  }
  const jobs = [{ name: 'odd', everySeconds: 10, run }]
  const scheduler = new Scheduler({ jobs, onEvent: () => undefined })
  t.teardown(async () => {
    await Promise.all([dns.close(), servers.close(), scheduler.stop({ timeoutMs: 0 })])
  })
  const problems = () =>
    Object.fromEntries(
      partsOf({ store, dns, servers, scheduler }).map(({ name, problem }) => [name, problem]),
    )
  const well = { api: undefined, dns: undefined, store: undefined, jobs: undefined }
  t.same(problems(), { ...well, 'dns of pool own': 'its listeners are not open yet' })
  await servers.open()
  t.same(problems(), { ...well, 'dns of pool own': undefined })
  await scheduler.run('odd')
  t.match(problems(), { jobs: /^odd: Error: broken/ })
  const [own] = partsOf({ store, dns, servers, scheduler }).filter(({ name }) => /own/.test(name))
  t.match(own?.stats, { listen: [/^127\.0\.0\.1:\d+$/] })
})
