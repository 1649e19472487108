import { randomUUID } from 'node:crypto'
import { type Commit, StoreUnavailableError } from '../store.ts'
import type { Connection } from './connection.ts'
import { turnMs } from './engine.ts'
import { bodyOf, type LogBatch, linkBehind, noticeOf } from './log-batch.ts'
import type { Position } from './position.ts'
import { type RowChange, rowChangesOf, writeRows } from './row-changes.ts'
import { channels, locks } from './schema.ts'

// Appends a batch to the log, and determines whether it was written.

/** A batch to be appended, until its outcome is known. */
export type Append = LogBatch & {
  readonly id: string
  readonly before: Buffer
  readonly atMicros: number
  readonly rows: readonly RowChange[]
}

/** Fails if the head is not where the writer expects it: then nothing of the transaction remains. */
const appendText = `with head as (
    update zw_head set lsn = $2, link = $3, at_micros = $4 where lsn = $1 - 1 and link = $5 returning lsn
  ), log as (
    insert into zw_log (first_lsn, last_lsn, link, batch, node, body)
    select $1, $2, $3, $6, $7, $8 where 1 / (select count(*) from head) = 1
  )
  select pg_notify('${channels.log}', $9)`

/** In the middle of a message the server does not count a session as idle, so its time-out does not end one whose node has stopped
 *  there. */
const endStalledText = `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
  where locktype = 'advisory' and granted and objsubid = 1 and classid = 0 and objid = $1
    and database = (select oid from pg_database where datname = current_database())
    and state = 'active' and wait_event = 'ClientRead' and state_change < clock_timestamp() - $2::interval`

/** Ends the session that has the turn and has stopped in the middle of a message. One that waits for its standby continues. */
export async function endStalledTurn(connection: Connection): Promise<void> {
  await connection.query(endStalledText, [locks.turn, `${turnMs} ms`])
}

/** @param entries of the commits, as they are in the log */
export function appendOf(
  commits: readonly Commit[],
  entries: readonly Buffer[],
  { lsn, link }: Position,
): Append {
  return {
    id: randomUUID(),
    first: lsn + 1,
    last: lsn + commits.length,
    before: link,
    link: linkBehind(link, entries),
    body: bodyOf(entries),
    atMicros: commits.at(-1)?.atMicros ?? 0,
    rows: rowChangesOf(commits),
  }
}

/** Appends in the turn of a connection. Returns true if the batch is certainly written; false if that is in doubt, and then the
 *  connection is over.
 *  @throws StoreUnavailableError it is certainly not written */
export async function tryAppend(
  connection: Connection,
  { first, last, link, before, id, body, atMicros, rows }: Append,
  node: string,
): Promise<boolean> {
  const warnings = connection.warningCount
  const notice = noticeOf({ first, last, link, body })
  const values = [first, last, link, atMicros, before, id, node, body, notice]
  const asked = connection.together(() => [
    connection.query({ name: 'append', text: appendText }, values),
    ...writeRows(connection, last, rows),
    connection.query('commit'),
  ])
  const outcomes = await Promise.allSettled(asked)
  const commit = outcomes.at(-1) as PromiseSettledResult<{ readonly command: string }>
  const said = commit.status === 'fulfilled' ? commit.value.command : commit.reason
  if (said === 'COMMIT') return isOnStandby(connection, warnings)
  const refusal = outcomes.find(each => each.status === 'rejected')?.reason
  if (said === 'ROLLBACK' || (await isUndone(connection, said))) throw notMade(refusal)
  connection.destroy(said instanceof Error ? said : new Error(`the server says ${said}`))
  return false
}

/** Takes the turn and looks for a batch; keeps the turn if the place is still free. Undefined if the batch is there but may be
 *  lost again; then the connection is over.
 *  @throws Error the server gives no answer */
export async function findAppend(
  connection: Connection,
  { id, first, before }: Append,
): Promise<'there' | 'free' | 'gone' | undefined> {
  const warnings = connection.warningCount
  await connection.query('begin isolation level read committed')
  await connection.query('select pg_advisory_xact_lock($1)', [locks.turn])
  const found = await connection.query<{ batch: string }>(
    'select batch from zw_log where first_lsn = $1',
    [first],
  )
  if (found.rows[0]?.batch === id) {
    // A later commit is on the standby only if the batch is, too.
    await connection.query('update zw_head set lsn = lsn')
    await connection.query('commit')
    return isOnStandby(connection, warnings) ? 'there' : undefined
  }
  const heads = await connection.query<{ lsn: string; link: Buffer }>(
    'select lsn, link from zw_head',
  )
  const [head] = heads.rows
  if (Number(head?.lsn) === first - 1 && head?.link.equals(before)) return 'free'
  await connection.requireInStep()
  await connection.query('rollback')
  return 'gone'
}

export function notMade(cause: unknown): StoreUnavailableError {
  const why = cause instanceof Error ? `: ${cause.message}` : ''
  return new StoreUnavailableError(`The change is not made${why}`, { cause })
}

/** A warning beside a commit: the server has given up waiting for its standby. The connection is over then. */
function isOnStandby(connection: Connection, warnings: number): boolean {
  if (connection.warningCount === warnings) return true
  connection.destroy(new Error('the server gave up waiting for its standby'))
  return false
}

/** Whether an error for a commit means that the transaction is undone. It does where the session goes on; words of severity are in
 *  the server's language. */
async function isUndone(connection: Connection, error: unknown): Promise<boolean> {
  if (!(error instanceof Error)) return false
  return connection.query('rollback').then(
    () => true,
    () => false,
  )
}
