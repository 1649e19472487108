import type { Connection } from './connection.ts'
import { locks } from './schema.ts'

// The duty is a lock of a session: it ends with the session, and the server ends the session of a node that is silent. The
// row beside it counts how often it was taken, and says by whom, so that what an earlier holder writes can be refused in the same
// transaction. A failover that loses commits may give two nodes the same number.

/** Takes the duty if no node has it.
 *  @returns its epoch */
export async function takeDuty(connection: Connection, node: string): Promise<number | undefined> {
  const { rows } = await connection.query<{ isTaken: boolean }>({
    name: 'duty',
    text: `select pg_try_advisory_lock(${locks.duty}) as "isTaken"`,
  })
  if (rows[0]?.isTaken !== true) return undefined
  const { rows: taken } = await connection.query<{ epoch: string }>(
    'update zw_duty set epoch = epoch + 1, node = $1 returning epoch',
    [node],
  )
  return Number(taken[0]?.epoch)
}

/** Who has taken the duty last, and which time that was. */
export async function readDuty(
  connection: Connection,
): Promise<{ readonly epoch: number; readonly node: string }> {
  const { rows } = await connection.query<{ epoch: string; node: string }>({
    name: 'read-duty',
    text: 'select epoch, node from zw_duty',
  })
  const [row] = rows
  if (row === undefined) throw new Error('zw_duty has no row')
  return { epoch: Number(row.epoch), node: row.node }
}
