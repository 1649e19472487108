import type { Committer } from './committer.ts'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

/** The part of the store interface about earlier commits. */
export type Past = Pick<
  Store,
  'history' | 'zoneCommits' | 'projectCommits' | 'deletions' | 'readCommits'
>

/** For a store that keeps no history. */
export const noPast: Past = {
  history: nothing,
  zoneCommits: nothing,
  projectCommits: nothing,
  deletions: nothing,
  readCommits: nothing,
}

/** Combines the state and its writer behind the Store interface. `close` runs once, after the last
 *  commit. */
export function storeOver(parts: {
  readonly tables: Tables
  readonly committer: Committer
  readonly past: Past
  readonly close: () => Promise<void>
}): Store {
  const { tables, committer, past } = parts
  const { shown } = committer
  const { visible } = shown
  let closed: Promise<void> | undefined
  const close = async () => {
    await committer.stop('the store is closed')
    await parts.close()
  }
  return {
    ...visible.reader,
    size: collection => tables.table(collection).size,
    total: (collection, index) => tables.table(collection).total(index),
    groupKeys: (collection, index) => tables.table(collection).groupKeys(index),
    countGroups: (collection, index) => tables.table(collection).countGroups(index),
    packedRecordsets: zoneId => tables.table('recordsets').listPacked('byZone', zoneId),
    rows: collection => tables.rows(collection),
    indexDefects: () => tables.indexDefects(),
    commit: (change, early) => committer.commit(change, early),
    commitInSteps: change => committer.commitInSteps(change),
    isChanging: zoneId => visible.isChanging(zoneId),
    stage: () => committer.stage(),
    get lastLsn() {
      return shown.publishedLsn
    },
    history: afterLsn => past.history(afterLsn),
    zoneCommits: zoneId => past.zoneCommits(zoneId),
    projectCommits: (projectId, zoneIds) => past.projectCommits(projectId, zoneIds),
    deletions: projectId => past.deletions(projectId),
    readCommits: commits => past.readCommits(commits),
    setCommitListener: (...listeners) => shown.setListener(...listeners),
    get readOnlyReason() {
      return committer.readOnlyReason
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

async function* nothing(): AsyncGenerator<never> {
  // Nothing is kept.
}
