import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import {
  logCertificate,
  openListeners,
  openPoolServers,
  openRateLimit,
  partsOf,
  renewCertificate,
} from '../../src/app/servers.ts'
import type { Config } from '../../src/config/config.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'
import { ensureDefaultPool } from '../../src/service/pools/pools.ts'
import type { Store } from '../../src/store/store.ts'
import type { ListenAddress } from '../../src/transport/answer.ts'
import { CertificateFiles } from '../../src/transport/tls-certificate.ts'
import { queryFor } from '../helpers/ask.ts'
import { fakeClock } from '../helpers/clock.ts'
import { DatagramClient } from '../helpers/datagram-client.ts'
import { memoryLog, silentLogger } from '../helpers/log.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { askOverUdp } from '../helpers/query-load.ts'
import { TcpClient } from '../helpers/tcp-client.ts'
import { makeTestCertificate, type TestCertificate } from '../helpers/test-certificate.ts'
import { until } from '../helpers/until.ts'
import { openTable } from '../helpers/zone-table.ts'

type StartOptions = Pick<Parameters<typeof openListeners>[0], 'threadCount'> & {
  readonly rateLimit?: Config['rateLimit']
  readonly jobs?: ConstructorParameters<typeof Scheduler>[0]['jobs']
}

/** Starts all that the parts of a server are told of, until the end of a test. */
async function start(t: Test, store: Store, { jobs = [], rateLimit, threadCount }: StartOptions) {
  const logger = silentLogger
  const table = openTable()
  const zones = table.addTarget()
  const targetOf = () => table.addTarget()
  const servers = openPoolServers({ store, logger, table, zones, targetOf })
  const addresses = [{ host: '127.0.0.1', port: 0 }]
  const dns = await openListeners({
    ...{ table, zones, addresses, logger, threadCount },
    settings: { rateLimit: openRateLimit(rateLimit) },
  })
  const config = { rateLimit }
  const scheduler = new Scheduler({ jobs, onEvent: () => undefined })
  t.teardown(async () => {
    await Promise.all([dns.close(), servers.close(), scheduler.stop({ timeoutMs: 0 })])
  })
  return { config, store, table, dns, tls: undefined, servers, scheduler }
}

t.test('the parts of the server are those that run, pools’ listeners among them', async t => {
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
  const run = () => {
    throw new Error('broken')
  }
  const jobs = [{ name: 'odd', everySeconds: 10, run }]
  const running = await start(t, store, { jobs, threadCount: 1 })
  const { dns, servers, scheduler } = running
  let usageProblem: string | undefined
  const usage = [
    { readOnlyReason: undefined },
    {
      get readOnlyReason() {
        return usageProblem
      },
    },
  ]
  const parts = () => partsOf({ ...running, usage })
  const problems = () => Object.fromEntries(parts().map(({ name, problem }) => [name, problem]))
  const well = {
    api: undefined,
    dns: undefined,
    store: undefined,
    usage: undefined,
    jobs: undefined,
  }
  t.same(problems(), { ...well, 'dns of pool own': 'its listeners are not open yet' })
  await servers.open()
  t.same(problems(), { ...well, 'dns of pool own': undefined })
  await scheduler.run('odd')
  usageProblem = 'the disk is full'
  t.match(problems(), { jobs: /^odd: Error: broken/, usage: 'the disk is full' })
  const own = parts().find(({ name }) => /own/.test(name))
  t.match(own?.stats, { listen: [/^127\.0\.0\.1:\d+$/] })

  await askOverUdp(dns.addresses[0] as ListenAddress, [queryFor('example. A')])
  const stats = () => parts().find(({ name }) => name === 'dns')
  // It is counted once it is sent, and may be here before.
  const counted = await until(
    async () => stats()?.stats,
    each => each?.udp_sent === 1,
  )
  t.match(counted, { listen: [/^127/], udp_received: 1, udp_unsent: 0 })
})

t.test('responses over UDP are limited, in threads, and what became of them is shown', async t => {
  const store = openMemoryStore({ clock: fakeClock() })
  const rateLimit = { perSecond: 1, windowSeconds: 3600, slip: 2, exempt: [] }
  const running = await start(t, store, { threadCount: 2, rateLimit })
  const [address] = running.dns.addresses
  if (address === undefined) throw new Error('nobody listens')
  const client = await DatagramClient.connect(address)
  t.teardown(() => client.close())
  const request = queryFor('www.elsewhere.test. A')
  for (let i = 0; i < 40; i += 1) client.send(request)
  const part = () =>
    partsOf({ ...running, usage: [] }).find(({ name }) => name === 'response rate limit')
  // How many is up to the seconds in which they come.
  const stats = await until(
    async () => part()?.stats,
    each => Number(each?.dropped) > 0 && Number(each?.truncated) > 0,
  )
  t.match(stats, { dropped: Number, truncated: Number })
})

t.test('exempt networks are told as text', async t => {
  const exempt = [{ address: '2001:db8::', bits: 32 }]
  const limit = openRateLimit({ perSecond: 1, windowSeconds: 15, slip: 2, exempt })
  t.equal(limit?.exempt[0]?.octets.length, 16)
  t.equal(openRateLimit(undefined), undefined)
})

t.test('a certificate is renewed from its files, and one that cannot be used is not', async t => {
  const folder = t.testdir()
  const paths = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const put = ({ certificate, key }: TestCertificate) => {
    writeFileSync(paths.certificateFile, certificate)
    writeFileSync(paths.keyFile, key)
  }
  put(makeTestCertificate())
  const { logger, lines } = memoryLog('info')
  const table = openTable()
  const address = { host: '127.0.0.1', port: 0 }
  const files = await CertificateFiles.open(paths)
  const tls = { addresses: [address], httpsAddresses: [], files }
  const dns = await openListeners({
    table,
    zones: table.addTarget(),
    addresses: [address],
    threadCount: 1,
    logger,
    tls,
  })
  t.teardown(() => dns.close())
  const shownName = async () => {
    const client = await TcpClient.connectSecurely(dns.tlsAddresses[0] ?? address)
    t.teardown(() => client.socket.destroy())
    return client.socket.getPeerCertificate().subject?.CN
  }
  await renewCertificate({ dns, tls, logger })
  t.equal(await shownName(), 'dns.example.net')
  t.same(lines(), [])

  const expiresAt = new Date('2041-01-01T00:00:00Z')
  put(makeTestCertificate({ hostName: 'renewed.example.net', expiresAt }))
  await renewCertificate({ dns, tls, logger })
  t.equal(await shownName(), 'renewed.example.net')
  t.same(files.expiresAt, expiresAt)
  t.match(lines(), [{ level: 'info', expiresAt: '2041-01-01T00:00:00.000Z' }])

  rmSync(paths.keyFile)
  await t.rejects(renewCertificate({ dns, tls, logger }), { name: 'CertificateError' })
  t.equal(await shownName(), 'renewed.example.net')
  t.match(dns.tlsCounters, { failedCount: 0, responseCount: 0 })
})

t.test('a certificate that has expired is served, with a warning', async t => {
  const folder = t.testdir()
  const paths = { certificateFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') }
  const { certificate, key } = makeTestCertificate({ expiresAt: new Date('2021-01-01T00:00:00Z') })
  writeFileSync(paths.certificateFile, certificate)
  writeFileSync(paths.keyFile, key)
  const { logger, lines } = memoryLog('info')
  logCertificate(logger, await CertificateFiles.open(paths))
  t.match(lines(), [{ level: 'warn', expiresAt: '2021-01-01T00:00:00.000Z' }])
})
