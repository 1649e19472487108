import t from 'tap'
import { dumpLog } from '../../src/store/dump-log.ts'
import { openIn } from '../helpers/crash-points.ts'
import { logEndOf } from '../helpers/log-end.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

t.test('the log is printed with all rows as text, without what is damaged', async t => {
  const files = new SimulatedDisk()
  const store = await openIn(files, { factsOf: () => ['noted'] })
  await store.commit(tx => tx.put('zones', zoneRow()))
  await store.commit(tx => tx.put('recordsets', recordsetRow()))
  const size = logEndOf(await files.read('/srv/store/journal/0000000000000001.log'))
  await store.commit(tx => tx.delete('recordsets', recordsetRow().id))
  await store.commit(tx => tx.delete('zones', uuidOf(1)))
  const dumped = async () => {
    const lines: unknown[] = []
    for await (const line of dumpLog({ files, directory: '/srv/store' }))
      lines.push(JSON.parse(line))
    return lines
  }
  const [first, second, third, ...more] = await dumped()
  t.match(first, { lsn: 1, changes: [{ collection: 'zones', after: zoneRow() }], facts: ['noted'] })
  t.match(second, { lsn: 2, changes: [{ id: recordsetRow().id, after: recordsetRow() }] })
  t.match(third, { lsn: 3, changes: [{ collection: 'recordsets', before: recordsetRow() }] })
  t.same(more, [])
  files.damage('/srv/store/journal/0000000000000001.log', octets => octets.fill(0, size - 1, size))
  t.match(await dumped(), [{ lsn: 1 }, { lsn: 3 }])
})
