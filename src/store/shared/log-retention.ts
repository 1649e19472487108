import type { Connection } from './connection.ts'

// How much of the log is kept: the configured history, and what the slowest node of the last day has not read. The last batch
// stays, because it locates a copy.

const text = `delete from zw_log where last_lsn < least(
    coalesce(
      (select min(first_lsn) from (
        select first_lsn, sum(octet_length(body)) over (order by first_lsn desc) as octets from zw_log
      ) as kept where octets <= $1),
      (select max(first_lsn) from zw_log)
    ),
    (select min(lsn) from zw_node where seen_at > now() - interval '1 day')
  )`

/** Removes batches that are no longer needed. Any node may do so at any time.
 *  @param historyOctets kept for the sake of history */
export async function cutLog(connection: Connection, historyOctets: number): Promise<void> {
  await connection.query(text, [historyOctets])
}
