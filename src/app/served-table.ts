import { randomInt } from 'node:crypto'
import { realFiles } from '../durable/file-system.ts'
import { listenAddressesOf } from '../model/pool-attributes.ts'
import type { Publisher } from '../publish/publisher.ts'
import { type FoundSnapshot, tablePlace } from '../publish/table-file.ts'
import { findTableSnapshot, readTableSnapshot, TableSnapshots } from '../publish/table-snapshots.ts'
import { everything } from '../store/indexes.ts'
import type { OpeningStore } from '../store/lowdb-store.ts'
import type { PoolServers } from '../transport/pool-servers.ts'
import { adviseHugePages } from '../transport/threads/huge-pages.ts'
import { reserveMemory } from '../zone/table/memory.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import { ZoneTable } from '../zone/table/zone-table.ts'
import type { AppOptions } from './options.ts'
import { beginStore } from './stored.ts'

// The composition root's part for the table that all zones are answered from: the one that the last process left, or a new
// one, and its snapshots for the next process.

/** The target of the default listeners among those of a snapshot, which are named after pools otherwise. */
const sharedTarget = 'shared'

/** The table, and the store opened as far as its zones. */
export type OpenTable = {
  readonly store: OpeningStore
  readonly table: ZoneTable
  /** The target of the default listeners. */
  readonly zones: TargetZones
  /** The target of a pool with its own listeners. */
  targetOf(poolId: string): TargetZones
  /** The snapshot that the table comes from; undefined where it is new. */
  readonly snapshot: FoundSnapshot | undefined
  /** Starts writing snapshots; to be called when the start is complete. */
  begin(parts: { readonly publisher: Publisher; readonly servers: PoolServers }): TableSnapshots
}

/** Opens the store and, where the store has all commits since, the table of the last snapshot. */
export async function openTable(
  options: AppOptions,
  opened: AsyncDisposableStack,
): Promise<OpenTable> {
  const { logger } = options
  const place = tablePlace({ files: realFiles, directory: options.config.dataDir })
  let found: FoundSnapshot | undefined
  let snapshots: TableSnapshots | undefined
  const store = await beginStore(options, {
    findMoment: async () => {
      found = await findTableSnapshot(place)
      return found
    },
    keptBehind: () => {
      const lsn = snapshots?.lsn
      // A snapshot is known by its own commit.
      return lsn === undefined ? undefined : lsn - 1
    },
  })
  opened.defer(() => store.close())
  const snapshot = found !== undefined && fits(found, store) ? found : undefined
  const memory = reserveMemory(Number.POSITIVE_INFINITY)
  await adviseHugePages(memory)
  const left = snapshot && (await readTableSnapshot(place, snapshot, memory))
  if (found !== undefined && left === undefined)
    logger.warn('all zones are published anew: the last snapshot of the zone table cannot be used')
  const table = left ?? (await newTable())
  const targetOf = (name: string) => {
    const ref = left && snapshot?.targets[name]
    return ref === undefined ? table.addTarget() : table.target(ref)
  }
  const zones = targetOf(sharedTarget)
  return {
    store,
    table,
    zones,
    targetOf,
    snapshot: left && snapshot,
    begin({ publisher, servers }) {
      snapshots = new TableSnapshots({
        ...{ place, table, store, found: left && snapshot },
        atCommit: work =>
          publisher.betweenCommits((moment, unsettled) => {
            const own = servers.ownZones?.map(([poolId, { ref }]) => [poolId, ref] as const)
            const targets = own && Object.fromEntries([...own, [sharedTarget, zones.ref]])
            work(targets && { ...moment, unsettled, targets })
          }),
        onFailed: err => logger.warn({ err }, 'no snapshot of the zone table could be written'),
      })
      return snapshots
    },
  }
}

async function newTable(): Promise<ZoneTable> {
  const table = ZoneTable.create({ randomWord: () => randomInt(2 ** 32) })
  await adviseHugePages(table.memory)
  return table
}

/** Whether the store continues from a snapshot, and the same pools have separate zones. */
function fits({ targets }: FoundSnapshot, store: OpeningStore): boolean {
  const pools = [...store.list('pools', 'all', everything)]
  const own = pools.filter(pool => listenAddressesOf(pool).length > 0).map(({ id }) => id)
  const expected = [...own, sharedTarget].sort().join()
  return store.commitsBehind() !== undefined && Object.keys(targets).sort().join() === expected
}
