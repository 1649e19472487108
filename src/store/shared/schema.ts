import type { Connection } from './connection.ts'
import { OtherSchemaError } from './errors.ts'

// The tables that the nodes share. They begin with zw_, in the schema that the session's search path names first.

/** The version of the tables and of their content. */
export const schemaFormat = 1

/** Advisory locks: the turn to append, held for a transaction; making the tables; the duty, held for a session; and, with a hash of
 *  it, the name of a node, likewise. Each database has its own. */
export const locks = {
  turn: 0x7a770001,
  schema: 0x7a770002,
  duty: 0x7a770003,
  name: 0x7a770004,
} as const

/** Channels of notices: commits that were appended; NOTIFY messages that some node has received. */
export const channels = { log: 'zw_log', notify: 'zw_notify' } as const

/** All tables, also for operators who create them by hand. Numbers of octets and of changes fit a double. */
export const schema: readonly string[] = [
  // Where the log ends: one row, for which writers compete. The digest is unused.
  `create table if not exists zw_head (
    one boolean primary key default true check (one),
    cluster uuid not null,
    format integer not null,
    lsn bigint not null,
    link bytea not null,
    at_micros bigint not null,
    digest bytea not null
  ) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)`,
  // The log: a row a batch. The body is each commit's octets u32 and entry; the link is of the last of them.
  `create table if not exists zw_log (
    first_lsn bigint primary key,
    last_lsn bigint not null,
    link bytea not null,
    batch uuid not null,
    node text not null,
    body bytea not null
  )`,
  'alter table zw_log alter column body set storage external',
  // All rows as of the head: recordsets packed, the others as JSON.
  `create table if not exists zw_row (
    collection text not null,
    id text not null,
    lsn bigint not null,
    row bytea not null,
    primary key (collection, id)
  )`,
  // Nodes, as each last reported: its position in the log, and up to which hour it has handed over its usage.
  `create table if not exists zw_node (
    node text primary key,
    url text not null,
    role text not null,
    version text not null,
    formats int4range not null,
    settings text not null,
    lsn bigint not null,
    link bytea not null,
    digest bytea,
    metered_until bigint,
    details jsonb not null default '{}',
    seen_at timestamptz not null default now()
  )`,
  // The holder of the duty, and how often it has changed hands.
  `create table if not exists zw_duty (
    one boolean primary key default true check (one),
    epoch bigint not null,
    node text not null
  )`,
  // Hours of usage as nodes have handed them over, in parts; the digest is of all parts together. The node is followed by the id of
  // the directory in which it has counted.
  `create table if not exists zw_usage (
    hour bigint not null,
    node text not null,
    part integer not null,
    digest bytea not null,
    is_whole boolean not null,
    is_merged boolean not null default false,
    body bytea not null,
    primary key (hour, node, part)
  )`,
  // Files of rating, in parts.
  `create table if not exists zw_file (
    path text not null,
    part integer not null,
    body bytea not null,
    primary key (path, part)
  )`,
  `insert into zw_head (cluster, format, lsn, link, at_micros, digest)
    select gen_random_uuid(), ${schemaFormat}, 0, '', 0, '' on conflict do nothing`,
  `insert into zw_duty (epoch, node) values (0, '') on conflict do nothing`,
]

/** Creates missing tables; several nodes do so one after the other.
 *  @throws OtherSchemaError */
export async function ensureSchema(connection: Connection): Promise<void> {
  const found = async () => {
    const { rows } = await connection.query<{ table: string | null }>(
      `select to_regclass('zw_head')::text as table`,
    )
    return rows[0]?.table != null
  }
  if (!(await found()))
    await connection.transaction(async () => {
      // Another node may be making them on a slow disk.
      await connection.query(`select set_config('lock_timeout', '0', true)`)
      await connection.query('select pg_advisory_xact_lock($1)', [locks.schema])
      for (const statement of schema) await connection.query(statement)
    })
  const { rows } = await connection.query<{ format: number }>('select format from zw_head')
  requireFormat(rows[0]?.format)
}

/** The id of the log. */
export async function readLogId(connection: Connection): Promise<string> {
  const { rows } = await connection.query<{ cluster: string }>('select cluster from zw_head')
  return rows[0]?.cluster ?? ''
}

/** @throws OtherSchemaError */
export function requireFormat(format: number | undefined): void {
  if (format === schemaFormat) return
  throw new OtherSchemaError(
    `the tables in PostgreSQL are of format ${format}, and this version knows ${schemaFormat}: start the version that made them`,
  )
}
