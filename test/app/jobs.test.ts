import t from 'tap'
import { type JobParts, startJobs } from '../../src/app/jobs.ts'
import { alone } from '../../src/cluster/cluster.ts'
import { configWith } from '../helpers/config.ts'
import { memoryLog } from '../helpers/log.ts'

/** Stands for every part: whatever is called of it is noted by name. */
function partsNoting(called: Set<string>): object {
  const noting = (path: string): object =>
    new Proxy(() => undefined, {
      get: (_target, name) => noting(`${path}${path === '' ? '' : '.'}${String(name)}`),
      apply: () => {
        called.add(path)
        return Promise.resolve()
      },
    })
  return noting('')
}

t.test('what fell due while the server was down is done at start', async t => {
  const called = new Set<string>()
  const { logger } = memoryLog('info')
  const noting = partsNoting(called) as JobParts
  const parts = { ...partsOf(noting), logger, config: configWith({}) }
  const scheduler = startJobs(parts)
  t.same(await scheduler.stop({ timeoutMs: 60_000 }), [])
  t.same([...called].sort(), [
    'aliases.refreshDue',
    'metering.rate',
    'metering.takeUp',
    'rating.budgetWatch.checkAll',
    'secondaries.refreshDue',
    'services.dnssec.renew',
    'services.removal.finishAll',
    'services.rewrites.finishAll',
    'services.serviceStatuses.beat',
  ])
})

t.test('each job asks the part whose work it is, and a failure is logged once', async t => {
  const called = new Set<string>()
  const log = memoryLog('info')
  const noting = partsNoting(called) as JobParts
  const metering = { flush: () => Promise.reject(new Error('the disk is full')) }
  const own = { logger: log.logger, config: configWith({}) }
  const scheduler = startJobs({ ...partsOf(noting), ...own, metering } as unknown as JobParts)
  t.teardown(() => scheduler.stop({ timeoutMs: 60_000 }))
  for (const [job, part] of [
    ['renew-signatures', 'services.dnssec.renew'],
    ['roll-keys', 'services.dnssec.rolls.stepDue'],
    ['open-listeners', 'servers.open'],
    ['refresh-aliases', 'aliases.refreshDue'],
    ['renew-certificate', 'tls.files.lookAgain'],
    ['recheck-external-targets', 'externalTargets.recheck'],
    ['checkpoint', 'store.checkpoint'],
    ['resume-writing', 'store.resume'],
    ['purge-revoked-tokens', 'identity.sessions.purgeRevoked'],
  ] as const) {
    await scheduler.run(job)
    t.ok(called.has(part), job)
  }
  for (const _ of [1, 2]) await scheduler.run('flush-usage')
  const failures = log.lines().filter(({ job }) => job === 'flush-usage')
  t.match(failures, [{ msg: 'job failed', err: { message: 'the disk is full' } }])
  t.equal(failures.length, 1)
})

/** A spread copies no properties of a proxy. */
function partsOf(noting: JobParts): JobParts {
  const {
    store,
    secondaries,
    aliases,
    identity,
    dns,
    tls,
    servers,
    externalTargets,
    catalogs,
    rating,
    metering,
    services,
  } = noting
  const { logger, config, postponed, scheduledBackups, snapshots } = noting
  const parts = {
    store,
    secondaries,
    aliases,
    identity,
    dns,
    tls,
    servers,
    externalTargets,
    catalogs,
    rating,
    metering,
    services,
  }
  return { ...parts, cluster: alone, logger, config, postponed, scheduledBackups, snapshots }
}
