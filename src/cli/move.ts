import { systemClock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/config-error.ts'
import { usageFolders } from '../rating/usage-repair.ts'
import type { EngineOptions } from '../store/shared/engine.ts'
import { fetchStore, publishStore } from '../store/shared/moving.ts'
import { type CheckOutcome, checkData } from './check.ts'

// The composition root of `store publish` and `store fetch`.

/** Folders that nodes share. The meter's own log stays with its process. */
const sharedFolders = [usageFolders.points, usageFolders.hours]

/** Copies the store of a directory into the PostgreSQL of the settings.
 *  @returns what was done, in readable form
 *  @throws ConfigError no PostgreSQL is set; and what `publishStore` throws */
export async function publishData(config: Config, directory: string): Promise<string> {
  const options = {
    directory,
    clock: systemClock,
    historyOctets: config.eventHistoryMebibytes * 1024 * 1024,
  }
  const moved = await publishStore(engineOf(config), options, sharedFolders)
  const { lsn, rowCount, commitCount, fileCount } = moved
  return `Published, and compared: ${rowCount} rows as of change ${lsn}, ${commitCount} changes of history, ${fileCount} files of usage`
}

/** Creates a store in an empty directory from the data that nodes share, and checks it.
 *  @throws ConfigError no PostgreSQL is set; and what `fetchStore` throws */
export async function fetchData(
  config: Config,
  directory: string,
): Promise<{ readonly lines: readonly string[]; readonly outcome: CheckOutcome }> {
  const { lsn, fileCount } = await fetchStore(engineOf(config), directory, sharedFolders)
  const lines = [`Fetched: all rows as of change ${lsn}, ${fileCount} files of usage`]
  return { lines, outcome: await checkData(config, directory) }
}

function engineOf({ cluster }: Config): EngineOptions {
  if (cluster === undefined) throw new ConfigError('no PostgreSQL is given')
  const { storeUrls, storePassword, acceptsLoss, node } = cluster
  return { urls: storeUrls, password: storePassword, acceptsLoss, node }
}
