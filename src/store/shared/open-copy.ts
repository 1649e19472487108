import { DamageError } from '../../durable/damage.ts'
import { realFiles } from '../../durable/file-system.ts'
import { OperatorError } from '../../operator-error.ts'
import type { LocalLog } from '../commit-log.ts'
import { beginLowdbStore, type LowdbStoreOptions, type OpeningStore } from '../lowdb-store.ts'
import { holdsData } from '../recovery.ts'
import type { PastCommit } from '../store.ts'
import type { StoreEvent } from '../write-access.ts'
import type { ClockComparisonOptions } from './clock-comparison.ts'
import type { Connection } from './connection.ts'
import {
  type Copy,
  discardCopy,
  findLost,
  isAt,
  locateCopy,
  readCopy,
  setLostAside,
  unfinishedLsn,
  writeCopy,
} from './copy.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { EngineUnavailableError } from './errors.ts'
import { DivergedError, type Position } from './position.ts'
import { ensureSchema, readLogId } from './schema.ts'
import { SharedLog } from './shared-log.ts'
import { loadState } from './state-load.ts'
import { Tail } from './tail.ts'

export type SharedStoreOptions = Omit<LowdbStoreOptions, 'shareLog' | 'onPublished' | 'files'> &
  ClockComparisonOptions & { readonly engine: EngineOptions }

type OpenOptions = SharedStoreOptions & {
  readonly onPublished: (lsn: number) => void
  /** Called when the log is not the one that the copy has followed. */
  readonly onDiverged: (error: DivergedError) => void
}

/** Why no change is made while the server answers. */
export const standbyAwaited =
  'PostgreSQL waits for its synchronous standby: start that, or make another'

/** The copy of a node while it is open, and what follows the log with it. */
export type OpenCopy = {
  readonly store: OpeningStore
  readonly log: SharedLog
  readonly tail: Tail
  /** The commits that it keeps. */
  readonly local: Pick<LocalLog, 'read'>
  /** Finds commits that this copy has and the log lacks; also works once the copy is closed. */
  findLost(): Promise<readonly PastCommit[]>
  /** Begins to follow. */
  follow(): void
  /** Idempotent. */
  close(): Promise<void>
}

/** Opens the copy of a directory, or makes one from the rows if there is none. A copy that is damaged, or that the log does not
 *  continue from, is rebuilt if the log can be reached; commits that the log lacks are set aside first. */
export async function openCopy(engine: Engine, options: OpenOptions): Promise<OpenCopy> {
  const { directory } = options
  const copy = await prepareCopy(engine, directory)
  try {
    return await open(engine, copy, options)
  } catch (error) {
    if (!(error instanceof UselessCopyError) && !(error instanceof DamageError)) throw error
    const lost = error instanceof UselessCopyError ? error.lost : []
    // Nothing is given up for what cannot be had.
    await engine
      .use(connection => connection.query('select 1'))
      .catch(() => {
        throw error
      })
    await reportLost(options, lost)
    await discardCopy(directory)
    return open(engine, await prepareCopy(engine, directory), options)
  }
}

/** Sets commits aside that the log lacks, and reports them. */
export async function reportLost(
  { directory, report }: Pick<SharedStoreOptions, 'directory' | 'report'>,
  lost: readonly PastCommit[],
): Promise<void> {
  const [first, last] = [lost[0], lost.at(-1)]
  if (first === undefined || last === undefined) return
  const path = await setLostAside({ files: realFiles, directory }, lost)
  report?.({ kind: 'commits-lost', path, first: first.lsn, last: last.lsn })
}

/** A copy that the log does not continue from. */
class UselessCopyError extends Error {
  readonly lost: readonly PastCommit[]

  constructor(cause: unknown, lost: readonly PastCommit[]) {
    super('the copy is of no use', { cause })
    this.lost = lost
  }
}

/** Makes sure that there is a copy.
 *  @returns what it is one of */
async function prepareCopy(engine: Engine, directory: string): Promise<Copy> {
  const place = { files: realFiles, directory }
  const found = await readCopy(place)
  const hasData = await holdsData(place)
  if (found === undefined && hasData)
    throw new OperatorError(
      `${directory} holds a store of its own: an empty directory takes a copy of the log that the nodes share`,
    )
  // The making or the removal of one may have been interrupted.
  const copy = found?.lsn === unfinishedLsn || !hasData ? undefined : found
  try {
    return await engine.use(async connection => {
      await ensureSchema(connection)
      if (copy !== undefined) return copy
      await discardCopy(directory)
      const cluster = await readLogId(connection)
      await writeCopy(place, { cluster, lsn: unfinishedLsn, link: '' })
      engine.log = cluster
      const loaded = await loadState(connection, place)
      await writeCopy(place, loaded)
      return loaded
    })
  } catch (error) {
    if (copy === undefined || !(error instanceof EngineUnavailableError)) throw error
    return copy
  }
}

async function open(engine: Engine, copy: Copy, options: OpenOptions): Promise<OpenCopy> {
  let parts: { readonly log: SharedLog; readonly place: Place } | undefined
  const store = await beginLowdbStore({
    ...options,
    shareLog: (local, lastLsn) => {
      const place = { copy, local, lastLsn }
      const log = new SharedLog({
        ...{ engine, local, lastLsn, clock: options.clock },
        maxClockOffSeconds: options.maxClockOffSeconds,
        locate: (connection, position) => locate(connection, { position, ...place }),
        onDiverged: options.onDiverged,
        ...reportsTo(options.report),
      })
      parts = { log, place }
      return log
    },
  })
  if (parts === undefined) throw new Error('the store has no log')
  const { log, place } = parts
  try {
    await requireUseful(engine, place)
  } catch (error) {
    await store.close()
    throw error
  }
  const onStandbyAwaited = (isAwaited: boolean) =>
    options.report?.(
      isAwaited
        ? { kind: 'read-only', reason: standbyAwaited, error: undefined }
        : { kind: 'writable' },
    )
  const tail = new Tail({ engine, log, onStandbyAwaited })
  let closed: Promise<void> | undefined
  const close = async () => {
    log.beginClosing()
    await Promise.all([store.close(), tail.stop()])
    await log.stop()
  }
  return {
    ...{ store, log, tail, local: place.local },
    findLost: () => engine.use(connection => findLost(connection, place.local)),
    follow: () => {
      void log.start()
      tail.start()
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

function reportsTo(report: (event: StoreEvent) => void = () => undefined) {
  return {
    onLost: (error: unknown) => report({ kind: 'log-lost', error }),
    onFound: () => report({ kind: 'log-found' }),
    onCopyFailed: (error: unknown) => report({ kind: 'copy-failed', error }),
  }
}

/** What a copy is of, and what it has. */
type Place = { readonly copy: Copy; readonly local: LocalLog; readonly lastLsn: number }

async function locate(
  connection: Connection,
  { position, ...place }: Place & { readonly position: Position | undefined },
): Promise<Position> {
  try {
    if (position === undefined) return await locateCopy(connection, place)
    const { lsn, link } = position
    if (await isAt(connection, { lsn, link: link.toString('hex') })) return position
    throw new DivergedError(`the log has no batch that ends with ${lsn} as this node has it`)
  } catch (error) {
    if (error instanceof DivergedError) await connection.requireInStep()
    throw error
  }
}

/** @throws UselessCopyError the log can be reached, and does not continue from the copy */
async function requireUseful(engine: Engine, place: Place): Promise<void> {
  try {
    await engine.use(async connection => {
      try {
        await locateCopy(connection, place)
      } catch (error) {
        if (!(error instanceof DivergedError)) throw error
        throw new UselessCopyError(error, await findLost(connection, place.local))
      }
    })
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
  }
}
