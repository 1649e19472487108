import { setTimeout as delay } from 'node:timers/promises'
import type { CollectionName } from '../../model/collections.ts'
import { TimeSlice } from '../../time-slice.ts'
import type { LocalLog } from '../commit-log.ts'
import type { LogDifference, Store } from '../store.ts'
import { collectionNames } from '../tables.ts'
import type { Connection } from './connection.ts'
import { firstUnlike, isAt } from './copy.ts'
import { entriesIn, type LogBatch, linkBehind, readBehind } from './log-batch.ts'
import { goneSeconds, type NodeRow, notableClockSeconds, readNodes } from './nodes.ts'
import type { Position } from './position.ts'
import { isSameRow, octetsOfRow } from './row-changes.ts'
import { readRows } from './state-load.ts'

// Compares a node with PostgreSQL while both keep changing: the log with itself and with the node's own, and all rows. Nodes that
// equal PostgreSQL equal each other.

export type ComparedNode = {
  readonly store: Pick<Store, 'get' | 'rows' | 'lastLsn'>
  readonly local: Pick<LocalLog, 'read'>
  readonly position: () => Position | undefined
  /** Resolves when the node has all that is in the log by now; with an object if that is not known. */
  readonly caughtUp: () => Promise<object | undefined>
}

type Key = { readonly collection: CollectionName; readonly id: string }

const idsAtOnce = 1000
/** A row that keeps changing is checked this often, and then taken to be sound. */
const maxLooks = 10
/** Nodes that are behind have this long to reach the log's position. */
const lagMs = 15_000
const lookEveryMs = 200

/** Finds the differences between a node and PostgreSQL. */
export async function* compareNode(
  connection: Connection,
  node: ComparedNode,
): AsyncGenerator<LogDifference> {
  const position = node.position()
  if (position === undefined) {
    const problem = 'this node has not found its place in the log yet'
    yield { kind: 'log', problem, remedy: 'Check again when it has' }
    return
  }
  const { lsn, link } = position
  if (!(await isAt(connection, { lsn, link: link.toString('hex') })))
    yield { kind: 'log', problem: `the log has another history up to ${lsn} than this node` }
  yield* compareLinks(connection)
  const unlike = await firstUnlike(connection, node.local)
  if (unlike !== undefined)
    yield { kind: 'log', problem: `this node has another commit ${unlike} than the log` }
  for (const key of await unlikeRows(connection, node.store)) {
    const problem = await problemOf(connection, node, key)
    if (problem !== undefined) yield { kind: 'copy', ...key, problem }
  }
}

/** Checks the links and numbers of the whole log against its entries. */
async function* compareLinks(connection: Connection): AsyncGenerator<LogDifference> {
  // Links of a store that was moved here begin anew: no node has appended its first batch.
  const { rows } = await connection.query<{ lsn: string; before: string; isAll: boolean }>(
    `select zw_head.lsn, first_lsn - 1 as before, first_lsn = 1 and node <> '' as "isAll"
     from zw_head, zw_log order by first_lsn limit 1`,
  )
  const [head] = rows
  if (head === undefined) return
  let last = Number(head.before)
  let link: Buffer | undefined = head.isAll ? Buffer.alloc(0) : undefined
  for (;;) {
    const batches = await readBehind(connection, last)
    if (batches.length === 0) break
    for (const batch of batches) {
      yield* problemsOfBatch(batch, { lsn: last, link })
      ;({ last, link } = batch)
    }
  }
  // Others may have appended since the head was read.
  if (last < Number(head.lsn))
    yield { kind: 'log', problem: `the log ends at ${last}, and its head says ${head.lsn}` }
}

function* problemsOfBatch(
  { first, last, link, body }: LogBatch,
  before: { readonly lsn: number; readonly link: Buffer | undefined },
): Generator<LogDifference> {
  const entries = entriesIn(body)
  if (first !== before.lsn + 1)
    yield { kind: 'log', problem: `in the log ${first} follows ${before.lsn}` }
  if (last !== first + entries.length - 1)
    yield { kind: 'log', problem: `the batch ${first} says that it ends with ${last}` }
  if (before.link !== undefined && !linkBehind(before.link, entries).equals(link))
    yield { kind: 'log', problem: `the link of ${last} is not that of the commits up to there` }
}

/** Rows that were not alike at some moment. */
async function unlikeRows(
  connection: Connection,
  store: ComparedNode['store'],
): Promise<readonly Key[]> {
  const unlike: Key[] = []
  await connection.transaction(
    () =>
      readRows(connection, ({ collection, id, row }) => {
        const own = store.get(collection, id)
        const isAlike =
          own !== undefined && isSameRow(collection, octetsOfRow(collection, own), row)
        if (!isAlike) unlike.push({ collection, id })
      }),
    'begin isolation level repeatable read read only',
  )
  const slice = new TimeSlice()
  for (const collection of collectionNames) {
    let ids: string[] = []
    const ask = async () => {
      const { rows } = await connection.query<{ id: string }>(
        `select id from unnest($2::text[]) as own (id)
         where not exists (select from zw_row where zw_row.collection = $1 and zw_row.id = own.id)`,
        [collection, ids],
      )
      ids = []
      for (const { id } of rows) unlike.push({ collection, id })
    }
    for (const { id } of store.rows(collection)) {
      ids.push(id)
      if (ids.length === idsAtOnce) await ask()
      else if (slice.isSpent) await slice.yield()
    }
    if (ids.length > 0) await ask()
  }
  return unlike
}

/** The problem of a row that differed. PostgreSQL is queried before and after the node is read, at a commit that the node has:
 *  if both answers are the same, the node's row should have equalled them. */
async function problemOf(
  connection: Connection,
  { store, caughtUp }: ComparedNode,
  { collection, id }: Key,
): Promise<string | undefined> {
  const theirs = async () => {
    const { rows } = await connection.query<{ row: Buffer }>(
      'select row from zw_row where collection = $1 and id = $2',
      [collection, id],
    )
    return rows[0]?.row
  }
  const isSame = (one: Buffer | undefined, other: Buffer | undefined) =>
    one === undefined || other === undefined ? one === other : isSameRow(collection, one, other)
  let before = await theirs()
  for (let looks = 1; looks <= maxLooks; looks += 1) {
    if ((await caughtUp()) !== undefined) return 'PostgreSQL does not say where the log ends'
    const row = store.get(collection, id)
    const own = row && octetsOfRow(collection, row)
    const after = await theirs()
    if (isSame(own, before) || isSame(own, after)) return undefined
    if (isSame(before, after)) {
      if (own === undefined) return 'PostgreSQL has it, and this node has not'
      return before === undefined
        ? 'this node has it, and PostgreSQL has not'
        : 'it is not the same at this node and in PostgreSQL'
    }
    before = after
  }
  return undefined
}

/** Finds problems in what the nodes report about themselves. */
export async function* compareNodes(connection: Connection): AsyncGenerator<LogDifference> {
  const end = await endOf(connection)
  const deadline = performance.now() + lagMs
  const isBehind = ({ lsn, seenSecondsAgo }: NodeRow) => seenSecondsAgo < goneSeconds && lsn < end
  let nodes = await readNodes(connection)
  while (nodes.some(isBehind) && performance.now() < deadline) {
    await delay(lookEveryMs)
    nodes = await readNodes(connection)
  }
  const [first] = nodes.filter(({ seenSecondsAgo }) => seenSecondsAgo < goneSeconds)
  for (const node of nodes) {
    for (const problem of problemsOf(node, { end, settings: first?.settings }))
      yield { kind: 'node', id: node.name, ...problem }
    const isWhereItSays = node.lsn === 0 || (await isAt(connection, node))
    if (node.seenSecondsAgo < goneSeconds && !isWhereItSays)
      yield {
        kind: 'node',
        id: node.name,
        problem: `the log has another history up to ${node.lsn}`,
        remedy: 'Stop it, and start it with an empty data directory',
      }
  }
}

/** In the same words whoever asks. */
function* problemsOf(
  { lsn, seenSecondsAgo, settings, clockAheadSeconds, isCopyBehind }: NodeRow,
  others: { readonly end: number; readonly settings: string | undefined },
): Generator<Pick<LogDifference, 'problem' | 'remedy'>> {
  if (seenSecondsAgo >= goneSeconds) {
    yield {
      problem: `it was not seen for more than ${goneSeconds} s`,
      remedy: 'Start it, or forget it by the command: nodes remove NAME',
    }
    return
  }
  if (lsn < others.end) yield { problem: `it is more than ${lagMs / 1000} s behind the log` }
  if (isCopyBehind)
    yield {
      problem: 'the copy on its disk could not be written',
      remedy: 'Make room, and restart it',
    }
  if (settings !== others.settings)
    yield {
      problem: 'its settings are not those of the others',
      remedy: 'Compare what each node logs at its start, and give all the same',
    }
  if (Math.abs(clockAheadSeconds) > notableClockSeconds)
    yield {
      problem: `its clock is more than ${notableClockSeconds} s off that of PostgreSQL`,
      remedy: 'Correct it',
    }
}

async function endOf(connection: Connection): Promise<number> {
  const { rows } = await connection.query<{ lsn: string }>('select lsn from zw_head')
  return Number(rows[0]?.lsn)
}
