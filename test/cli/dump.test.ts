import { join } from 'node:path'
import t from 'tap'
import { dumpData } from '../../src/cli/dump.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { fakeClock } from '../helpers/clock.ts'
import { zoneRow } from '../helpers/store-rows.ts'

t.test('a log is printed line by line, of a server that does not run', async t => {
  const directory = join(t.testdir(), 'data')
  const store = await openLowdbStore({ directory, clock: fakeClock() })
  await store.commit(tx => tx.put('zones', zoneRow()))
  const lines: string[] = []
  const dump = () => dumpData(directory, async line => void lines.push(line))
  await t.rejects(dump(), { name: 'StoreLockedError' })
  await store.close()
  await dump()
  t.equal(lines.length, 1)
  t.match(lines[0], /^\{"lsn":1,.*"example\.com\.".*\}\n$/)
  await t.rejects(
    dumpData(join(directory, 'none'), async () => undefined),
    /no store/,
  )
})
