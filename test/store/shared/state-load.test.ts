import { setImmediate as nextImmediate } from 'node:timers/promises'
import t from 'tap'
import type { Connection, Statement } from '../../../src/store/shared/connection.ts'
import { readRows } from '../../../src/store/shared/state-load.ts'

t.test(
  'a connection lost while a row is processed fails the reading, and nothing else',
  async t => {
    const lost = new Error('the connection is lost')
    let fetches = 0
    const query = async (statement: Statement) => {
      if (typeof statement === 'string')
        return { rows: statement.startsWith('select') ? [{ link: Buffer.alloc(0) }] : [] }
      fetches += 1
      if (fetches > 1) throw lost
      return { rows: [{ collection: 'zones', id: 'z', row: Buffer.alloc(0) }] }
    }
    // The rejection of a fetch that nobody waits for yet would end the process.
    await t.rejects(
      readRows({ query } as unknown as Connection, () => nextImmediate()),
      lost,
    )
  },
)
