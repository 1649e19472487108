import { LruMap } from '../../lru-map.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, ZoneCommit } from '../../store/store.ts'
import { zoneChangeOf } from './past-zone.ts'

/** A zone that was deleted. */
export type DeletedZone = {
  /** Of the commit that removed its row. */
  readonly lsn: number
  readonly deletedAtMicros: number
  /** The zone's last row. */
  readonly zone: Zone
}

type KeptDeletions = { readonly atMicros: number; readonly zones: readonly DeletedZone[] }

/** Commits whose zones are kept: some kB of memory each at most. */
const maxKept = 4_000

/** The zones that commits have deleted, read from the log once and kept, as lists need the same ones again. */
export class Deletions {
  readonly #store: Pick<Store, 'readCommits'>
  readonly #kept = new LruMap<number, KeptDeletions>(maxKept)

  constructor(store: Pick<Store, 'readCommits'>) {
    this.#store = store
  }

  /** The zones that commits have deleted, in order; none of the commits that can no longer be read. */
  async of(commits: readonly ZoneCommit[]): Promise<readonly DeletedZone[]> {
    const found = new Map<number, readonly DeletedZone[]>()
    const missing: ZoneCommit[] = []
    for (const commit of commits) {
      const kept = this.#kept.get(commit.lsn)
      // With several nodes, a commit may be lost; another one then has its number.
      if (kept?.atMicros !== commit.atMicros) missing.push(commit)
      else found.set(commit.lsn, kept.zones)
    }
    missing.sort((one, other) => one.lsn - other.lsn)
    for await (const commit of this.#store.readCommits(missing)) {
      const { lsn, atMicros: deletedAtMicros } = commit
      const deleted = commit.changes.flatMap(({ collection, id }) => {
        const change = collection === 'zones' ? zoneChangeOf(commit, id) : undefined
        const isGone = change?.before !== undefined && change.after === undefined
        return isGone ? [{ lsn, deletedAtMicros, zone: change.before }] : []
      })
      found.set(lsn, deleted)
      this.#kept.set(lsn, { atMicros: deletedAtMicros, zones: deleted })
    }
    return commits.flatMap(({ lsn }) => found.get(lsn) ?? [])
  }
}
