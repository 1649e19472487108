import type { Job } from './scheduler.ts'

/** What the jobs do; each determines what is due. */
type JobActions = {
  /** Starts transfers of the secondary zones that are due, and marks those that have expired. */
  refreshSecondaries(): void | Promise<void>
  /** Queries the targets of ALIAS recordsets whose addresses are due for a refresh. */
  refreshAliases(): void | Promise<void>
  /** Continues deletions of zones that were interrupted. */
  finishDeletions(): void | Promise<void>
  /** Continues with zones whose pool has got other name servers. */
  finishRewrites(): void | Promise<void>
  /** Ends the imports of nodes that are gone. */
  finishImports(): void | Promise<void>
  /** Renews signatures that end soon, and begins to sign zones that are to be signed. */
  renewSignatures(): void | Promise<void>
  /** Takes the due steps of keys. */
  rollKeys(): void | Promise<void>
  /** Opens the pools' listeners that could not be opened before. */
  openListeners(): void | Promise<void>
  /** Loads a certificate whose files have been renewed. */
  renewCertificate(): void | Promise<void>
  /** Queries again the external name servers that did not serve what they should. */
  recheckExternalTargets(): void | Promise<void>
  /** Retries what catalogs ask for and could not be done. */
  recheckCatalogs(): void | Promise<void>
  /** Records the health of the parts of the server. */
  beat(): void | Promise<void>
  /** Makes the usage so far durable. */
  flushUsage(): void | Promise<void>
  /** Rates the hours that ended long enough ago. */
  rateUsage(): void | Promise<void>
  /** Drops usage that is older than the retention time. */
  pruneUsage(): void | Promise<void>
  /** Reports the thresholds that budgets have reached. */
  checkBudgets(): void | Promise<void>
  /** Rewrites the documents that are behind the log. */
  checkpoint(): void | Promise<void>
  /** Writes a backup if one is due. */
  backUp(): void | Promise<void>
  /** Writes a snapshot of the table, so that the next start need not publish it. */
  snapshotTable(): void | Promise<void>
  /** Accepts changes again when the disk has room again. */
  resumeWriting(): void | Promise<void>
  /** Removes revoked tokens that have expired anyway. */
  purgeRevokedTokens(): void | Promise<void>
  /** Returns unused memory to the system. */
  returnFreedMemory(): void | Promise<void>
}

/** What the jobs do, and the intervals that are settings. */
export type JobOptions = JobActions & { readonly usageFlushSeconds: number }

/** All scheduled jobs with their intervals: every node runs those for its own state, and the node with the duty runs those
 *  that sweep over rows that all nodes have. */
export function jobsFor({ usageFlushSeconds, ...actions }: JobOptions): readonly Job[] {
  return [...ownJobs(actions, usageFlushSeconds), ...dutyJobs(actions)]
}

function ownJobs(actions: JobActions, usageFlushSeconds: number): readonly Job[] {
  return [
    // Each node signs its own answers.
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
    { name: 'snapshot-table', everySeconds: 2, run: () => actions.snapshotTable() },
    { name: 'back-up', everySeconds: 60, run: () => actions.backUp() },
    { name: 'resume-writing', everySeconds: 5, run: () => actions.resumeWriting() },
    // The thread is blocked for as long as there is memory to return: 25 ms after two minutes of many changes.
    { name: 'return-freed-memory', everySeconds: 15, run: () => actions.returnFreedMemory() },
  ]
}

function dutyJobs(actions: JobActions): readonly Job[] {
  const jobs: readonly Job[] = [
    {
      // New zones and new masters go to the refresher at once; this job is for zones that fall due.
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
