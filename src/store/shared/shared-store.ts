import { setTimeout as delay } from 'node:timers/promises'
import { DamageError } from '../../durable/damage.ts'
import { realFiles } from '../../durable/file-system.ts'
import type { LoggedCommit } from '../commit-entry.ts'
import { listLog } from '../commit-log.ts'
import { beginLowdbStore, type LowdbStoreOptions, type OpeningStore } from '../lowdb-store.ts'
import { holdsData } from '../recovery.ts'
import { type PastCommit, type Store, StoreUnavailableError } from '../store.ts'
import type { StoreEvent } from '../write-access.ts'
import type { Connection } from './connection.ts'
import {
  type Copy,
  copyPath,
  discardCopy,
  findLost,
  isAt,
  locateCopy,
  readCopy,
  setLostAside,
  writeCopy,
} from './copy.ts'
import { Engine, type EngineOptions } from './engine.ts'
import { CopyError, EngineUnavailableError } from './errors.ts'
import { cutLog } from './log-retention.ts'
import { DivergedError, type Position } from './position.ts'
import { ensureSchema } from './schema.ts'
import { SharedLog } from './shared-log.ts'
import { loadState } from './state-load.ts'
import { Tail } from './tail.ts'

export type SharedStoreOptions = Omit<LowdbStoreOptions, 'shareLog' | 'onTold' | 'files'> & {
  readonly engine: EngineOptions
}

/** Whoever waits for a change is told after so long that it is not known to be made. */
const patienceMs = 12_000
/** And who reads waits so long for what others have written. */
const readPatienceMs = 1000

/** Opens the store that several nodes have in common, as far as it takes to know its zones: the copy of this node, which goes
 *  on with the log when somebody listens to its commits. Where the log cannot be reached, the copy is served as it is.
 *  @throws EngineUnfitError, CopyError, OtherSchemaError
 *  @throws EngineUnavailableError there is no copy either
 *  @throws DamageError, StoreLockedError as for any store */
export async function beginSharedStore(options: SharedStoreOptions): Promise<OpeningStore> {
  const engine = new Engine(options.engine)
  try {
    const copy = await prepareCopy(engine, options.directory)
    return await openOrRenew(engine, copy, options)
  } catch (error) {
    await engine.close()
    throw error
  }
}

/** A copy that the log does not go on from. */
class UselessCopyError extends Error {
  readonly lost: readonly LoggedCommit[]

  constructor(cause: unknown, lost: readonly LoggedCommit[]) {
    super('the copy is of no use', { cause })
    this.lost = lost
  }
}

/** Opens a copy. One that is damaged, or that the log does not go on from, is made anew from the rows where the log can be
 *  reached; what the log has not is set aside before. */
async function openOrRenew(
  engine: Engine,
  copy: Copy,
  options: SharedStoreOptions,
): Promise<OpeningStore> {
  const { directory, report } = options
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
    const [first, last] = [lost[0], lost.at(-1)]
    if (first !== undefined && last !== undefined) {
      const path = await setLostAside({ files: realFiles, directory }, lost)
      report?.({ kind: 'commits-lost', path, first: first.lsn, last: last.lsn })
    }
    await discardCopy(directory)
    return open(engine, await prepareCopy(engine, directory), options, lost)
  }
}

/** Makes sure that there is a copy.
 *  @returns what it is one of */
async function prepareCopy(engine: Engine, directory: string): Promise<Copy> {
  const place = { files: realFiles, directory }
  const copy = await readCopy(place)
  if (copy === undefined && (await holdsData(place, await listLog(place))))
    throw new CopyError(
      `${directory} holds a store of its own: an empty directory takes a copy of the log that the nodes share`,
    )
  try {
    return await engine.use(async connection => {
      await ensureSchema(connection)
      const { rows } = await connection.query<{ cluster: string }>('select cluster from zw_head')
      const cluster = rows[0]?.cluster ?? ''
      if (copy !== undefined && copy.cluster !== cluster)
        throw new CopyError(
          `${copyPath(directory)} is of the log ${copy.cluster}, and PostgreSQL has ${cluster}`,
        )
      if (copy !== undefined) return copy
      // Interrupted from here on, the next start finds a copy that is of no use.
      await writeCopy(place, { cluster, lsn: -1, link: '' })
      const loaded = await loadState(connection, place)
      await writeCopy(place, loaded)
      return loaded
    })
  } catch (error) {
    if (copy === undefined || !(error instanceof EngineUnavailableError)) throw error
    return copy
  }
}

async function open(
  engine: Engine,
  copy: Copy,
  options: SharedStoreOptions,
  lost: readonly LoggedCommit[] = [],
): Promise<OpeningStore> {
  const { report = () => undefined } = options
  const waiters = new Waiters()
  let log: SharedLog | undefined
  let requireUse: () => Promise<void> = async () => undefined
  const local = await beginLowdbStore({
    ...options,
    onTold: lsn => waiters.tell(lsn),
    shareLog: (journal, lastLsn) => {
      const place = { copy, local: journal, lastLsn }
      requireUse = () => requireUseful(engine, place)
      log = new SharedLog({
        ...{ engine, local: journal, lastLsn },
        locate: (connection, position) => locate(connection, { position, ...place }),
        ...reportsTo(report),
      })
      return log
    },
  })
  if (log === undefined) throw new Error('the store has no log')
  try {
    await requireUse()
  } catch (error) {
    await local.close()
    throw error
  }
  const shared = log
  const tail = new Tail({ engine, log: shared, onProblem: () => undefined })
  const {
    close,
    checkpoint,
    commit,
    commitInSteps,
    loadRecordsets,
    finishOpening,
    setCommitListener,
  } = local
  const over: Partial<OpeningStore> = {
    commit: change =>
      withPatience(begin =>
        commit(tx => {
          begin()
          return change(tx)
        }),
      ),
    commitInSteps: change =>
      withPatience(begin =>
        commitInSteps(tx => {
          begin()
          return change(tx)
        }),
      ),
    // What others write comes as soon as somebody listens, and may be about recordsets.
    loadRecordsets: async () => {
      await loadRecordsets()
      await finishOpening()
    },
    finishOpening: async () => undefined,
    setCommitListener: listener => {
      setCommitListener(listener)
      void shared.start()
      tail.start()
    },
    checkpoint: async () => {
      await checkpoint()
      if (shared.problem !== undefined) return
      // The next checkpoint tries again.
      await engine.use(each => cutLog(each, options.historyOctets ?? 0)).catch(() => undefined)
    },
    close: async () => {
      shared.beginClosing()
      await Promise.all([close(), tail.stop()])
      await shared.stop()
      await engine.close()
    },
    shared: {
      ...{ node: engine.node, engine, lost: lost as readonly PastCommit[] },
      position: () => shared.position,
      caughtUp: () => caughtUp({ tail, waiters, store: local }),
    },
  }
  const reason = () => own.get?.call(local) ?? shared.problem
  const own = Object.getOwnPropertyDescriptor(local, 'readOnlyReason') ?? {}
  return Object.defineProperty(Object.assign(local, over), 'readOnlyReason', { get: reason })
}

function reportsTo(report: (event: StoreEvent) => void) {
  return {
    onLost: (error: unknown) => report({ kind: 'log-lost', error }),
    onFound: () => report({ kind: 'log-found' }),
    onDiverged: (error: unknown) => report({ kind: 'diverged', error }),
    onCopyFailed: (error: unknown) => report({ kind: 'copy-failed', error }),
  }
}

type Place = Parameters<typeof locateCopy>[1]

async function locate(
  connection: Connection,
  { position, ...place }: Place & { readonly position: Position | undefined },
): Promise<Position> {
  if (position === undefined) return locateCopy(connection, place)
  const { lsn, link } = position
  if (await isAt(connection, { lsn, link: link.toString('hex') })) return position
  throw new DivergedError(`the log has no batch that ends with ${lsn} as this node has it`)
}

/** @throws UselessCopyError the log can be reached, and does not go on from the copy */
async function requireUseful(engine: Engine, place: Place): Promise<void> {
  try {
    await engine.use(async connection => {
      try {
        await locateCopy(connection, place)
      } catch (error) {
        if (!(error instanceof DivergedError)) throw error
        throw new UselessCopyError(error, await findLost(connection, place))
      }
    })
  } catch (error) {
    if (!(error instanceof EngineUnavailableError)) throw error
  }
}

/** Waits for a commit, and gives up: for good where the change has not begun, and otherwise without knowing how it goes.
 *  @param commit hands on what it is to do first in the change */
async function withPatience<T>(commit: (begin: () => void) => Promise<T>): Promise<T> {
  let isBegun = false
  let isRefused = false
  const committed = commit(() => {
    if (isRefused) throw new StoreUnavailableError('The change is not made')
    isBegun = true
  })
  committed.catch(() => undefined)
  const timer = new AbortController()
  const late = delay(patienceMs, undefined, { signal: timer.signal }).then(
    () => {
      isRefused = !isBegun
      const doubt = 'It is not known yet whether the change is made; it may still be'
      throw new StoreUnavailableError(isBegun ? doubt : 'The change is not made')
    },
    () => committed,
  )
  try {
    return await Promise.race([committed, late])
  } finally {
    timer.abort()
  }
}

async function caughtUp({
  tail,
  waiters,
  store,
}: {
  readonly tail: Tail
  readonly waiters: Waiters
  readonly store: Pick<Store, 'lastLsn'>
}): Promise<{ readonly staleSeconds: number } | undefined> {
  const timer = new AbortController()
  const late = delay(readPatienceMs, false, { signal: timer.signal }).catch(() => false)
  const told = async () => {
    const end = await tail.end()
    await waiters.until(end, store.lastLsn)
    return true
  }
  const isTold = await Promise.race([told().catch(() => false), late])
  timer.abort()
  if (isTold) return undefined
  const { heardAtMs = 0 } = tail
  return { staleSeconds: Math.ceil((performance.now() - heardAtMs) / 1000) }
}

/** Who waits for a commit to be given to the listener. */
class Waiters {
  #waiting: { readonly lsn: number; readonly resolve: () => void }[] = []

  tell(lsn: number): void {
    if (this.#waiting.length === 0) return
    const due = this.#waiting.filter(each => each.lsn <= lsn)
    if (due.length === 0) return
    this.#waiting = this.#waiting.filter(each => each.lsn > lsn)
    for (const { resolve } of due) resolve()
  }

  until(lsn: number, toldLsn: number): Promise<void> | undefined {
    if (lsn <= toldLsn) return undefined
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push({ lsn, resolve })
    return promise
  }
}
