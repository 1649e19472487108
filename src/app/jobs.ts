import type { ScheduledBackups } from '../backup/scheduled.ts'
import type { Identity } from '../identity/identity.ts'
import { type JobOptions, jobsFor } from '../jobs/jobs.ts'
import { Scheduler } from '../jobs/scheduler.ts'
import type { TableSnapshots } from '../publish/table-snapshots.ts'
import type { Aliases } from '../service/recordsets/aliases.ts'
import type { Secondaries } from '../service/secondaries/secondaries.ts'
import type { ExternalTargets } from '../service/targets/external-targets.ts'
import type { LowdbStore } from '../store/lowdb-store.ts'
import type { PoolServers } from '../transport/pool-servers.ts'
import { returnFreedMemory } from '../transport/threads/freed-memory.ts'
import type { Catalogs } from './catalogs.ts'
import type { Metering } from './metering.ts'
import type { CommonParts } from './options.ts'
import type { Rating } from './rating.ts'
import type { DnsListeners } from './servers.ts'
import type { Services } from './services.ts'
import type { WhenWritable } from './when-writable.ts'

// The composition root's part for scheduled jobs.

/** The parts that the jobs work on. */
export type JobParts = Pick<CommonParts, 'config' | 'cluster' | 'logger'> & {
  readonly dns: DnsListeners
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
    jobs: jobsFor(actionsOf(parts)),
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

/** The part that does each job. */
function actionsOf(parts: JobParts): JobOptions {
  const { store, secondaries, identity, dns, servers, externalTargets, rating, metering } = parts
  const { removal, rewrites, serviceStatuses, zoneImports } = parts.services
  return {
    refreshSecondaries: () => secondaries.refreshDue(),
    refreshAliases: () => parts.aliases.refreshDue(),
    finishDeletions: () => removal.finishAll(),
    finishRewrites: () => rewrites.finishAll(),
    finishImports: () => zoneImports.recover(node => parts.cluster.isGone(node)),
    renewSignatures: () => parts.services.dnssec.renew(),
    rollKeys: () => parts.services.dnssec.rolls.stepDue(),
    openListeners: () => servers.open(),
    renewCertificate: () => dns.renewCertificate(),
    recheckExternalTargets: () => externalTargets.recheck(),
    recheckCatalogs: () => parts.catalogs.recheck(),
    beat: () => serviceStatuses.beat(),
    usageFlushSeconds: parts.config.usageFlushSeconds,
    flushUsage: () => metering.flush(),
    rateUsage: () => metering.rate(),
    pruneUsage: () => metering.prune(),
    checkBudgets: async () => {
      await metering.takeUp()
      await rating.budgetWatch.checkAll()
    },
    checkpoint: () => store.checkpoint(),
    snapshotTable: () => parts.snapshots.writeIfDue(),
    backUp: () => parts.scheduledBackups?.run(),
    resumeWriting: async () => {
      await store.resume()
      await rating.points.resume()
      await metering.resume()
      if (store.readOnlyReason === undefined) await parts.postponed.resume()
    },
    purgeRevokedTokens: async () => {
      await identity.sessions.purgeRevoked()
    },
    returnFreedMemory: async () => {
      await returnFreedMemory()
    },
  }
}
