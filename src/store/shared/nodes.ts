import { setTimeout as delay } from 'node:timers/promises'
import type { Node } from '../../cluster/cluster.ts'
import type { Connection } from './connection.ts'
import { NodeNameError } from './errors.ts'
import { locks, schemaFormat } from './schema.ts'

/** A row of the table of nodes. It was seen by the clock of the server. */
export type NodeRow = Omit<Node, 'hasDuty' | 'isLive' | 'problem'>

/** What a node reports about itself. */
export type OwnNode = Omit<NodeRow, 'link' | 'meteredUntil' | 'seenSecondsAgo'> & {
  readonly link: Buffer
}

/** A node not seen for this long counts as gone. */
export const goneSeconds = 60

/** A clock that is further off should be corrected. */
export const notableClockSeconds = 1

/** Longer than the server keeps a session that is silent. */
const nameMs = 5000
const lookEveryMs = 100

/** A node's presence need not survive a crash of the server, so the statement does not wait for a disk. */
const announceText = `insert into zw_node (node, url, role, version, formats, settings, lsn, link, details, seen_at)
  select $1, $2, 'full', $3, int4range(${schemaFormat}, ${schemaFormat}, '[]'), $4, $5, $6,
    jsonb_build_object('clockAheadSeconds', $7::float8, 'isCopyBehind', $8::boolean), clock_timestamp()
  from (select set_config('synchronous_commit', 'off', true)) as unhurried
  on conflict (node) do update set (url, role, version, formats, settings, lsn, link, details, seen_at) =
    (excluded.url, excluded.role, excluded.version, excluded.formats, excluded.settings, excluded.lsn, excluded.link,
     excluded.details, excluded.seen_at)`

const nodesText = `select node as name, url, version, settings, lsn::float8 as lsn, encode(link, 'hex') as link,
  metered_until::float8 as "meteredUntil",
  coalesce((details ->> 'clockAheadSeconds')::float8, 0) as "clockAheadSeconds",
  coalesce((details ->> 'isCopyBehind')::boolean, false) as "isCopyBehind",
  extract(epoch from clock_timestamp() - seen_at)::float8 as "seenSecondsAgo" from zw_node order by node`

/** Announces a node and its state. */
export async function announce(connection: Connection, own: OwnNode): Promise<void> {
  const { name, url, version, settings, lsn, link, clockAheadSeconds, isCopyBehind } = own
  const values = [name, url, version, settings, lsn, link, clockAheadSeconds, isCopyBehind]
  await connection.query({ name: 'announce', text: announceText }, values)
}

/** Reads the clock of the server. */
export async function readClock(
  connection: Connection,
): Promise<{ readonly serverMillis: number }> {
  const { rows } = await connection.query<{ serverMillis: number }>({
    name: 'clock',
    text: 'select 1000 * extract(epoch from clock_timestamp())::float8 as "serverMillis"',
  })
  return rows[0] ?? { serverMillis: 0 }
}

/** Checks that a name is free, and waits for the sessions of a process that has ended.
 *  @throws NodeNameError it is not */
export async function requireFreeName(connection: Connection, name: string): Promise<void> {
  const deadline = performance.now() + nameMs
  while (!(await takeName(connection, name))) {
    if (performance.now() > deadline) throw new NodeNameError(name)
    await delay(lookEveryMs)
  }
  await connection.query(`select pg_advisory_unlock(${locks.name}, hashtext($1))`, [name])
}

/** Takes a name for as long as the session lasts.
 *  @returns false if another session has it */
export async function takeName(connection: Connection, name: string): Promise<boolean> {
  const { rows } = await connection.query<{ isTaken: boolean }>(
    `select pg_try_advisory_lock(${locks.name}, hashtext($1)) as "isTaken"`,
    [name],
  )
  return rows[0]?.isTaken === true
}

/** All nodes, by name. */
export async function readNodes(connection: Connection): Promise<readonly NodeRow[]> {
  const { rows } = await connection.query<NodeRow>({ name: 'nodes', text: nodesText })
  return rows
}

/** Removes a node that was not seen lately.
 *  @returns why it was not removed */
export async function removeNode(
  connection: Connection,
  name: string,
): Promise<'unknown' | 'live' | undefined> {
  const { rows } = await connection.query<{ isGone: boolean }>(
    `with known as (
       select node, seen_at < clock_timestamp() - make_interval(secs => $2) as gone from zw_node where node = $1
     ), removed as (
       delete from zw_node using known where zw_node.node = known.node and known.gone
     )
     select gone as "isGone" from known`,
    [name, goneSeconds],
  )
  if (rows.length === 0) return 'unknown'
  return rows[0]?.isGone ? undefined : 'live'
}
