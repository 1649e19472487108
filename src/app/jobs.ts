import type { ScheduledBackups } from '../backup/scheduled.ts'
import type { Identity } from '../identity/identity.ts'
import { type Job, Scheduler } from '../jobs/scheduler.ts'
import type { TableSnapshots } from '../publish/table-snapshots.ts'
import type { Aliases } from '../service/recordsets/aliases.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import type { ExternalTargets } from '../service/targets/external-targets.ts'
import type { LowdbStore } from '../store/lowdb-store.ts'
import type { PoolServers } from '../transport/pool-servers.ts'
import { returnFreedMemory } from '../transport/threads/freed-memory.ts'
import type { Catalogs } from './catalogs.ts'
import type { DnsParts } from './dns-metrics.ts'
import type { Metering } from './metering.ts'
import type { CommonParts } from './options.ts'
import type { Rating } from './rating.ts'
import { renewCertificate } from './servers.ts'
import type { Services } from './services.ts'
import type { WhenWritable } from './when-writable.ts'

// The composition root's part for scheduled jobs.

/** The parts that the jobs work on. */
export type JobParts = Pick<CommonParts, 'config' | 'cluster' | 'logger'> &
  Omit<DnsParts, 'readers'> & {
    readonly servers: PoolServers
    readonly externalTargets: ExternalTargets
    readonly catalogs: Catalogs
    readonly store: LowdbStore
    readonly services: Services
    readonly secondaries: Secondaries
    readonly aliases: Aliases
    readonly identity: Identity
    readonly rating: Rating
    readonly metering: Metering
    readonly postponed: WhenWritable
    readonly snapshots: TableSnapshots
    /** Undefined where they are not set. */
    readonly scheduledBackups: ScheduledBackups | undefined
  }

/** Jobs that fell due while the server was down do not wait for the first round. */
const dueAtStart = ['renew-signatures', 'beat', 'return-freed-memory'] as const
/** Nor do jobs that fell due while no node had the duty. */
const dueWithDuty = [
  'finish-deletions',
  'finish-rewrites',
  'refresh-secondaries',
  'refresh-aliases',
  'rate-usage',
  'check-budgets',
] as const

/** Starts all jobs, and logs failures. */
export function startJobs(parts: JobParts): Scheduler {
  const { logger, cluster } = parts
  const scheduler = new Scheduler({
    jobs: [...ownJobs(parts), ...dutyJobs(parts)],
    duty: cluster.duty,
    onEvent: event => {
      if (event.kind === 'failed') logger.error({ job: event.job, err: event.error }, 'job failed')
      else logger.info({ job: event.job }, 'job runs again')
    },
  })
  scheduler.start()
  for (const name of dueAtStart) void scheduler.run(name)
  cluster.duty.whenHeld(() => {
    for (const name of dueWithDuty) void scheduler.run(name)
  })
  return scheduler
}

/** The jobs that every node runs for its own state. */
function ownJobs(parts: JobParts): readonly Job[] {
  const { store, servers, externalTargets, rating, metering, services, config } = parts
  return [
    // Each node signs its own answers, and completes what an earlier run left unsigned.
    { name: 'renew-signatures', everySeconds: 3600, run: () => services.dnssec.renew() },
    // The pools' listeners that could not be opened before.
    { name: 'open-listeners', everySeconds: 10, run: () => servers.open() },
    { name: 'renew-certificate', everySeconds: 60, run: () => renewCertificate(parts) },
    { name: 'recheck-external-targets', everySeconds: 120, run: () => externalTargets.recheck() },
    { name: 'beat', everySeconds: 10, run: () => services.serviceStatuses.beat() },
    { name: 'flush-usage', everySeconds: config.usageFlushSeconds, run: () => metering.flush() },
    { name: 'checkpoint', everySeconds: 600, run: () => store.checkpoint() },
    // So that the next start need not publish the table.
    { name: 'snapshot-table', everySeconds: 2, run: () => parts.snapshots.writeIfDue() },
    { name: 'back-up', everySeconds: 60, run: () => parts.scheduledBackups?.run() },
    {
      name: 'resume-writing',
      everySeconds: 5,
      async run() {
        await store.resume()
        await rating.points.resume()
        await metering.resume()
        if (store.readOnlyReason === undefined) await parts.postponed.resume()
      },
    },
    {
      // The thread is blocked for as long as there is memory to return: 25 ms after two minutes of many changes.
      name: 'return-freed-memory',
      everySeconds: 15,
      async run() {
        await returnFreedMemory()
      },
    },
  ]
}

/** The jobs that the node with the duty runs: they sweep over rows that all nodes have. */
function dutyJobs(parts: JobParts): readonly Job[] {
  const { secondaries, aliases, identity, rating, metering, cluster, services } = parts
  const { removal, rewrites, zoneImports } = services
  const jobs: readonly Job[] = [
    // New zones and new masters go to the refresher at once; this job is for zones that fall due.
    { name: 'refresh-secondaries', everySeconds: 5, run: () => secondaries.refreshDue() },
    { name: 'refresh-aliases', everySeconds: 5, run: () => aliases.refreshDue() },
    { name: 'finish-deletions', everySeconds: 10, run: () => removal.finishAll() },
    { name: 'finish-rewrites', everySeconds: 10, run: () => rewrites.finishAll() },
    {
      // Of nodes that are gone.
      name: 'finish-imports',
      everySeconds: 60,
      run: () => zoneImports.recover(node => cluster.isGone(node)),
    },
    { name: 'roll-keys', everySeconds: 60, run: () => services.dnssec.rolls.stepDue() },
    { name: 'recheck-catalogs', everySeconds: 120, run: () => parts.catalogs.recheck() },
    { name: 'rate-usage', everySeconds: 60, run: () => metering.rate() },
    { name: 'prune-usage', everySeconds: 3600, run: () => metering.prune() },
    {
      name: 'check-budgets',
      everySeconds: 60,
      async run() {
        await metering.takeUp()
        await rating.budgetWatch.checkAll()
      },
    },
    {
      name: 'purge-revoked-tokens',
      everySeconds: 600,
      async run() {
        await identity.sessions.purgeRevoked()
      },
    },
  ]
  return jobs.map(job => ({ ...job, isDuty: true }))
}
