import type { Connection } from './connection.ts'
import { schemaFormat } from './schema.ts'

/** What a node says of itself. */
export type OwnNode = {
  readonly name: string
  readonly url: string
  readonly version: string
  readonly settings: string
  readonly lsn: number
  readonly link: Buffer
}

/** A row of the table of nodes. */
export type NodeRow = {
  readonly name: string
  readonly url: string
  readonly version: string
  readonly settings: string
  readonly lsn: number
  readonly link: string
  readonly meteredUntil: number | null
  /** By the clock of the server. */
  readonly seenSecondsAgo: number
}

/** A node that was not seen for so long is gone. */
export const goneSeconds = 60

/** That a node is there need not survive a crash of the server, so nobody waits for a disk. */
const announceText = `insert into zw_node (node, url, role, version, formats, settings, lsn, link, seen_at)
  select $1, $2, 'full', $3, int4range(${schemaFormat}, ${schemaFormat}, '[]'), $4, $5, $6, clock_timestamp()
  from (select set_config('synchronous_commit', 'off', true)) as unhurried
  on conflict (node) do update set (url, role, version, formats, settings, lsn, link, seen_at) =
    (excluded.url, excluded.role, excluded.version, excluded.formats, excluded.settings, excluded.lsn, excluded.link,
     excluded.seen_at)`

const nodesText = `select node as name, url, version, settings, lsn::float8 as lsn, encode(link, 'hex') as link,
  metered_until::float8 as "meteredUntil",
  extract(epoch from clock_timestamp() - seen_at)::float8 as "seenSecondsAgo" from zw_node order by node`

/** Says that a node is there, and how. */
export async function announce(connection: Connection, own: OwnNode): Promise<void> {
  const { name, url, version, settings, lsn, link } = own
  const values = [name, url, version, settings, lsn, link]
  await connection.query({ name: 'announce', text: announceText }, values)
}

/** All nodes, by name. */
export async function readNodes(connection: Connection): Promise<readonly NodeRow[]> {
  const { rows } = await connection.query<NodeRow>({ name: 'nodes', text: nodesText })
  return rows
}

/** Forgets a node that was not seen lately.
 *  @returns why that was not done */
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
