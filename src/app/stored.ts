import { currentActor } from '../actor.ts'
import { realFiles } from '../durable/file-system.ts'
import type { Logger } from '../log.ts'
import { eventFactsOf } from '../service/events/resource-event.ts'
import { beginLowdbStore, type LowdbStoreOptions, type OpeningStore } from '../store/lowdb-store.ts'
import { requireNoCopy } from '../store/shared/copy.ts'
import type { StoreEvent } from '../store/write-access.ts'
import type { AppOptions } from './options.ts'

// The composition root's part for the store.

/** Opens the store as far as its zones. */
export async function beginStore(
  { config, clock, logger, maxClockOffSeconds }: AppOptions,
  given: Pick<LowdbStoreOptions, 'findMoment' | 'keptBehind'>,
): Promise<OpeningStore> {
  const options = {
    ...given,
    directory: config.dataDir,
    clock,
    factsOf: eventFactsOf,
    actorOf: currentActor,
    historyOctets: config.eventHistoryMebibytes * 1024 * 1024,
    report: (event: StoreEvent) => logStoreEvent(logger, event),
  }
  if (config.cluster === undefined) {
    await requireNoCopy({ files: realFiles, directory: config.dataDir })
    return beginLowdbStore(options)
  }
  const { storeUrls, storePassword, acceptsLoss, node } = config.cluster
  const { beginSharedStore } = await import('../store/shared/shared-store.ts')
  return beginSharedStore({
    ...options,
    maxClockOffSeconds,
    engine: { urls: storeUrls, password: storePassword, acceptsLoss, node },
  })
}

const storeEvents: Readonly<
  Record<StoreEvent['kind'], readonly [level: 'info' | 'warn' | 'error', text: string]>
> = {
  'log-cut': ['warn', 'the end of the log was torn and is cut off: it was perhaps acknowledged'],
  'document-healed': [
    'warn',
    'an unreadable document was put together from its previous generation',
  ],
  'times-ahead': [
    'warn',
    'the clock was ahead when the last change was made, or is behind now: times of changes hardly advance until it is later than that change',
  ],
  'read-only': ['error', 'changes are refused from now on; what is stored is still answered'],
  writable: ['info', 'changes are taken again'],
  'log-lost': [
    'error',
    'PostgreSQL cannot be reached: changes are refused; what this node has is still answered',
  ],
  'log-found': ['info', 'PostgreSQL is reached: changes are taken'],
  'commits-lost': [
    'error',
    'PostgreSQL has lost changes that this node has answered for: they are in a file, and the serials of their zones are raised',
  ],
  diverged: [
    'error',
    'the log in PostgreSQL is another than this node has followed: its rows are loaded anew; changes are refused until then',
  ],
  'renewal-failed': ['warn', 'the rows cannot be loaded from PostgreSQL yet'],
  'copy-renewed': ['info', 'the rows are loaded anew: changes are taken'],
  'copy-failed': [
    'error',
    'the copy of the log cannot be written; it is brought up to date at the next start',
  ],
  'files-removed': [
    'error',
    'files of the store were removed while in use: they are written again',
  ],
  'checkpoint-failed': ['error', 'a checkpoint failed; the log has all changes'],
}

function logStoreEvent(logger: Logger, event: StoreEvent): void {
  const [level, text] = storeEvents[event.kind]
  const { kind, ...facts } = event
  if (!('error' in facts)) {
    logger[level](Object.keys(facts).length === 0 ? {} : event, text)
    return
  }
  const { error: err, ...others } = facts
  logger[level]({ ...others, err }, text)
}
