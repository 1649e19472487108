import type { Job } from './scheduler.ts'

/** What the jobs do; each finds out itself what is due. */
export type JobActions = {
  /** Starts transfers of the secondary zones that are due, and marks those that have expired. */
  refreshSecondaries(): void | Promise<void>
  /** Asks for the targets of ALIAS recordsets whose addresses have become old. */
  refreshAliases(): void | Promise<void>
  /** Goes on with zones whose deletion was cut short. */
  finishDeletions(): void | Promise<void>
  /** Goes on with zones whose pool has got other name servers. */
  finishRewrites(): void | Promise<void>
  /** Ends the imports of nodes that are gone. */
  finishImports(): void | Promise<void>
  /** Renews signatures that end soon, and begins to sign zones that are to be signed. */
  renewSignatures(): void | Promise<void>
  /** Takes the steps of keys that are due. */
  rollKeys(): void | Promise<void>
  /** Opens the pools' listeners that could not be had before. */
  openListeners(): void | Promise<void>
  /** Takes up a certificate that has been renewed in its files. */
  renewCertificate(): void | Promise<void>
  /** Asks the name servers elsewhere again that did not serve what they should. */
  recheckExternalTargets(): void | Promise<void>
  /** Tries again what catalogs ask for and could not be done. */
  recheckCatalogs(): void | Promise<void>
  /** Notes how the parts of the server are. */
  beat(): void | Promise<void>
  /** Makes durable what has been used so far. */
  flushUsage(): void | Promise<void>
  /** Rates the hours that are over for long enough. */
  rateUsage(): void | Promise<void>
  /** Drops usage that is older than is to be kept. */
  pruneUsage(): void | Promise<void>
  /** Reports the thresholds that budgets have reached. */
  checkBudgets(): void | Promise<void>
  /** Rewrites the documents that the log has run ahead of. */
  checkpoint(): void | Promise<void>
  /** Writes a backup if one is due. */
  backUp(): void | Promise<void>
  /** Spares the next start what it would have to publish. */
  snapshotTable(): void | Promise<void>
  /** Takes changes again where the disk has room again. */
  resumeWriting(): void | Promise<void>
  /** Forgets revoked tokens that have expired by themselves. */
  purgeRevokedTokens(): void | Promise<void>
  /** Gives memory that nothing uses any more back to the system. */
  returnFreedMemory(): void | Promise<void>
}

/** What a job does, and how often where that is a setting. */
export type JobOptions = JobActions & { readonly usageFlushSeconds: number }

/** All that is done by the clock, and how often: by every node what is its own, by the one with the duty what is a sweep over
 *  rows that all nodes have. */
export function jobsFor({ usageFlushSeconds, ...actions }: JobOptions): readonly Job[] {
  return [...ownJobs(actions, usageFlushSeconds), ...dutyJobs(actions)]
}

function ownJobs(actions: JobActions, usageFlushSeconds: number): readonly Job[] {
  return [
    // Each node signs what it answers.
    { name: 'renew-signatures', everySeconds: 3600, run: () => actions.renewSignatures() },
    { name: 'open-listeners', everySeconds: 10, run: () => actions.openListeners() },
    { name: 'renew-certificate', everySeconds: 60, run: () => actions.renewCertificate() },
    {
      name: 'recheck-external-targets',
      everySeconds: 120,
      run: () => actions.recheckExternalTargets(),
    },
    { name: 'beat', everySeconds: 10, run: () => actions.beat() },
    { name: 'flush-usage', everySeconds: usageFlushSeconds, run: () => actions.flushUsage() },
    { name: 'checkpoint', everySeconds: 600, run: () => actions.checkpoint() },
    { name: 'snapshot-table', everySeconds: 20, run: () => actions.snapshotTable() },
    { name: 'back-up', everySeconds: 60, run: () => actions.backUp() },
    { name: 'resume-writing', everySeconds: 5, run: () => actions.resumeWriting() },
    { name: 'return-freed-memory', everySeconds: 120, run: () => actions.returnFreedMemory() },
  ]
}

function dutyJobs(actions: JobActions): readonly Job[] {
  const jobs: readonly Job[] = [
    {
      // New zones and new masters are given to the refresher at once; this is for what falls due.
      name: 'refresh-secondaries',
      everySeconds: 5,
      run: () => actions.refreshSecondaries(),
    },
    { name: 'refresh-aliases', everySeconds: 5, run: () => actions.refreshAliases() },
    { name: 'finish-deletions', everySeconds: 10, run: () => actions.finishDeletions() },
    { name: 'finish-rewrites', everySeconds: 10, run: () => actions.finishRewrites() },
    { name: 'finish-imports', everySeconds: 60, run: () => actions.finishImports() },
    { name: 'roll-keys', everySeconds: 60, run: () => actions.rollKeys() },
    { name: 'recheck-catalogs', everySeconds: 120, run: () => actions.recheckCatalogs() },
    { name: 'rate-usage', everySeconds: 60, run: () => actions.rateUsage() },
    { name: 'prune-usage', everySeconds: 3600, run: () => actions.pruneUsage() },
    { name: 'check-budgets', everySeconds: 60, run: () => actions.checkBudgets() },
    { name: 'purge-revoked-tokens', everySeconds: 600, run: () => actions.purgeRevokedTokens() },
  ]
  return jobs.map(job => ({ ...job, isDuty: true }))
}
