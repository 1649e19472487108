import type { Connection } from './connection.ts'

// How much of the log is kept: what was asked for as history, and what the slowest node of the last day has not read. The last
// batch stays, for it says where a copy is.

const text = `delete from zw_log where last_lsn < least(
    coalesce(
      (select min(first_lsn) from (
        select first_lsn, sum(octet_length(body)) over (order by first_lsn desc) as octets from zw_log
      ) as kept where octets <= $1),
      (select max(first_lsn) from zw_log)
    ),
    (select min(lsn) from zw_node where seen_at > now() - interval '1 day')
  )`

/** Removes batches that nobody needs. Any node may do it at any time.
 *  @param historyOctets kept for the sake of history */
export async function cutLog(connection: Connection, historyOctets: number): Promise<void> {
  await connection.query(text, [historyOctets])
}
