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

function logStoreEvent(logger: Logger, event: StoreEvent): void {
  switch (event.kind) {
    case 'log-cut':
      logger.warn(event, 'the end of the log was torn and is cut off: it was perhaps acknowledged')
      return
    case 'document-healed':
      logger.warn(event, 'an unreadable document was put together from its previous generation')
      return
    case 'times-ahead':
      logger.warn(
        event,
        'the clock was ahead when the last change was made, or is behind now: times of changes hardly advance until it is later than that change',
      )
      return
    case 'read-only':
      logger.error(
        { reason: event.reason, err: event.error },
        'changes are refused from now on; what is stored is still answered',
      )
      return
    case 'writable':
      logger.info('changes are taken again')
      return
    case 'log-lost':
      logger.error(
        { err: event.error },
        'PostgreSQL cannot be reached: changes are refused; what this node has is still answered',
      )
      return
    case 'log-found':
      logger.info('PostgreSQL is reached: changes are taken')
      return
    case 'commits-lost':
      logger.error(
        event,
        'PostgreSQL has lost changes that this node has answered for: they are in a file, and the serials of their zones are raised',
      )
      return
    case 'diverged':
      logger.error(
        { err: event.error },
        'the log in PostgreSQL is another than this node has followed: its rows are loaded anew; changes are refused until then',
      )
      return
    case 'renewal-failed':
      logger.warn({ err: event.error }, 'the rows cannot be loaded from PostgreSQL yet')
      return
    case 'copy-renewed':
      logger.info('the rows are loaded anew: changes are taken')
      return
    case 'copy-failed':
      logger.error(
        { err: event.error },
        'the copy of the log cannot be written; it is brought up to date at the next start',
      )
      return
    case 'files-removed':
      logger.error(event, 'files of the store were removed while in use: they are written again')
      return
    case 'checkpoint-failed':
      logger.error({ err: event.error }, 'a checkpoint failed; the log has all changes')
  }
}
