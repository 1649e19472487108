import type { OpeningStore } from '../lowdb-store.ts'
import { type LogDifference, StoreUnavailableError } from '../store.ts'
import { type ComparedNode, compareNode, compareNodes } from './comparison.ts'
import type { Connection } from './connection.ts'
import { CopyRenewer, loadAll, type Waiters } from './copy-renewer.ts'
import { Engine } from './engine.ts'
import type { OpenCopy, SharedStoreOptions } from './open-copy.ts'

// How much of the log is kept: the configured history, and what the slowest node of the last day has not read. The last batch
// stays, because it locates a copy.

const keptText = `select least(
    coalesce(
      (select min(first_lsn) from (
        select first_lsn, sum(octet_length(body)) over (order by first_lsn desc) as octets from zw_log
      ) as kept where octets <= $1),
      (select max(first_lsn) from zw_log)
    ),
    (select min(lsn) from zw_node where seen_at > now() - interval '1 day')
  ) as lsn`
/** A statement removes no more batches, so it ends in time even if days of the log have to go. */
const cutAtOnce = 1000
const cutText = `delete from zw_log where first_lsn in
  (select first_lsn from zw_log where last_lsn < $1 order by first_lsn limit ${cutAtOnce})`

/** How long a caller waits for a change before it learns that the change is not known to be made. */
const patienceMs = 12_000
/** How long a reader waits for what others have written. */
const readPatienceMs = 1000

/** Opens the store that several nodes have in common, far enough to know its zones: the copy of this node, which follows the log
 *  once there is a commit listener. If the log cannot be reached, the copy is served as it is.
 *  @throws EngineUnfitError, OtherSchemaError, OperatorError
 *  @throws EngineUnavailableError there is no copy either
 *  @throws DamageError, StoreLockedError as for any store */
export async function beginSharedStore(options: SharedStoreOptions): Promise<OpeningStore> {
  const engine = new Engine(options.engine)
  const renewer = new CopyRenewer(engine, options)
  try {
    await renewer.open()
  } catch (error) {
    await engine.close()
    throw error
  }
  const copy = () => renewer.copy
  const store = atPresent(() => copy().store)
  const attempt = <T>(commit: (begin: () => void) => Promise<T>) => {
    if (renewer.isRenewing)
      throw new StoreUnavailableError('The change is not made: the copy of the log is made anew')
    return withPatience(commit, () => renewer.problem)
  }
  const over: Partial<OpeningStore> = {
    commit: async (change, early) =>
      attempt(begin =>
        copy().store.commit(tx => {
          begin()
          return change(tx)
        }, early),
      ),
    commitInSteps: async change =>
      attempt(begin =>
        copy().store.commitInSteps(tx => {
          begin()
          return change(tx)
        }),
      ),
    // Commits of others arrive once there is a listener, and may change recordsets.
    loadRecordsets: () => loadAll(copy()),
    finishOpening: async () => undefined,
    setCommitListener: (...listeners) => renewer.follow(...listeners),
    checkpoint: async () => {
      await copy().store.checkpoint()
      if (copy().log.problem !== undefined) return
      // The next checkpoint tries again.
      await engine.use(each => cutLog(each, options.historyOctets ?? 0)).catch(() => undefined)
    },
    close: async () => {
      await renewer.close()
      await engine.close()
    },
    shared: {
      ...{ node: engine.node, engine },
      position: () => copy().log.position,
      refusal: () => copy().log.refusal,
      isCopyBehind: () => copy().log.isCopyBehind,
      whenLost: listener => renewer.whenLost(listener),
      caughtUp: () => caughtUp(copy(), renewer.waiters),
      compare: () => compare(engine, copy(), () => caughtUp(copy(), renewer.waiters)),
    },
  }
  const readOnlyReason = () => copy().store.readOnlyReason ?? renewer.problem
  Object.assign(store, over)
  return Object.defineProperty(store, 'readOnlyReason', { get: readOnlyReason })
}

/** An object that does what another one does, whichever that is at present. */
function atPresent<T extends object>(current: () => T): T {
  const present = {} as T
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(current()))) {
    const get = () => current()[name as keyof T]
    const call = (...values: unknown[]) => (get() as (...values: unknown[]) => unknown)(...values)
    const own = typeof value === 'function' ? { value: call, writable: true } : { get }
    Object.defineProperty(present, name, { ...own, configurable: true, enumerable: true })
  }
  return present
}

/** On a session of its own, as it takes long. */
async function* compare(
  engine: Engine,
  { store, local, log }: OpenCopy,
  caughtUp: ComparedNode['caughtUp'],
): AsyncGenerator<LogDifference> {
  let connection: Connection | undefined
  try {
    connection = await engine.connect({ purpose: 'check' })
    yield* compareNode(connection, { store, local, caughtUp, position: () => log.position })
    yield* compareNodes(connection)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const problem = `the comparison with PostgreSQL was given up: ${reason}`
    yield { kind: 'log', problem, remedy: 'Check again when PostgreSQL can be reached' }
  } finally {
    await connection?.close()
  }
}

/** Waits for a commit, and gives up after a time: definitively if the change has not begun, otherwise without knowing its outcome.
 *  @param commit hands on what it is to do first in the change
 *  @param problem what is known to hold changes up then */
async function withPatience<T>(
  commit: (begin: () => void) => Promise<T>,
  problem: () => string | undefined,
): Promise<T> {
  let isBegun = false
  let isRefused = false
  const committed = commit(() => {
    if (isRefused) throw new StoreUnavailableError('The change is not made')
    isBegun = true
  })
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const timer = setTimeout(() => {
    isRefused = !isBegun
    const doubt = 'It is not known yet whether the change is made; it may still be'
    const outcome = isBegun ? doubt : 'The change is not made'
    reject(new StoreUnavailableError([outcome, problem()].filter(Boolean).join(': ')))
  }, patienceMs)
  committed.then(resolve, reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
  }
}

async function caughtUp(
  { tail, store }: OpenCopy,
  waiters: Waiters,
): Promise<{ readonly staleSeconds: number } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, readPatienceMs, false)
  const isCaughtUp = async () => {
    const end = await tail.end()
    await waiters.until(end, store.lastLsn)
    return true
  }
  const inTime = await Promise.race([isCaughtUp().catch(() => false), late])
  clearTimeout(timer)
  if (inTime) return undefined
  const { heardAtMs = 0 } = tail
  return { staleSeconds: Math.ceil((performance.now() - heardAtMs) / 1000) }
}

/** Removes batches that are no longer needed. Any node may do so at any time.
 *  @param historyOctets kept for the sake of history */
async function cutLog(connection: Connection, historyOctets: number): Promise<void> {
  const { rows } = await connection.query<{ lsn: string | null }>(keptText, [historyOctets])
  const lsn = rows[0]?.lsn
  if (lsn == null) return
  for (let isCut = false; !isCut; ) {
    const { rowCount } = await connection.query(cutText, [lsn])
    isCut = (rowCount ?? 0) < cutAtOnce
  }
}
