import t from 'tap'
import { jobsFor } from '../../src/jobs/jobs.ts'
import { Scheduler } from '../../src/jobs/scheduler.ts'

t.test('each job has a name of its own and does its own work', async t => {
  const done: string[] = []
  const jobs = jobsFor({
    refreshSecondaries: () => void done.push('refresh-secondaries'),
    refreshAliases: () => void done.push('refresh-aliases'),
    finishDeletions: () => void done.push('finish-deletions'),
    finishRewrites: () => void done.push('finish-rewrites'),
    finishImports: () => void done.push('finish-imports'),
    recheckCatalogs: () => void done.push('recheck-catalogs'),
    renewSignatures: () => void done.push('renew-signatures'),
    rollKeys: () => void done.push('roll-keys'),
    openListeners: () => void done.push('open-listeners'),
    renewCertificate: () => void done.push('renew-certificate'),
    recheckExternalTargets: () => void done.push('recheck-external-targets'),
    beat: () => void done.push('beat'),
    usageFlushSeconds: 10,
    flushUsage: () => void done.push('flush-usage'),
    rateUsage: () => void done.push('rate-usage'),
    pruneUsage: () => void done.push('prune-usage'),
    checkBudgets: () => void done.push('check-budgets'),
    checkpoint: () => void done.push('checkpoint'),
    snapshotTable: () => void done.push('snapshot-table'),
    backUp: () => void done.push('back-up'),
    resumeWriting: () => void done.push('resume-writing'),
    purgeRevokedTokens: () => void done.push('purge-revoked-tokens'),
    returnFreedMemory: () => void done.push('return-freed-memory'),
  })
  const scheduler = new Scheduler({ jobs, onEvent: event => t.fail(event.job) })
  for (const { name } of jobs) await scheduler.run(name)
  t.strictSame(
    done,
    jobs.map(job => job.name),
  )
  t.equal(new Set(done).size, jobs.length)
})
