import t from 'tap'
import { TableReclaim } from '../../src/publish/table-reclaim.ts'
import type { Remaining } from '../../src/zone/table/zone-reclaim.ts'
import type { ZoneTable } from '../../src/zone/table/zone-table.ts'

t.test('reclaiming goes on until nothing is left, and then can begin again', async t => {
  const left: Remaining[] = ['more', 'more', 'readers', 'more', 'nothing', 'more', 'nothing']
  let finish: () => void = () => undefined
  const reclaim = (): Remaining => {
    const remaining = left.shift() ?? 'nothing'
    if (remaining === 'nothing') finish()
    return remaining
  }
  const running = new TableReclaim({ reclaim } as unknown as ZoneTable)
  // The pause for readers does not keep a process alive by itself.
  const keepAlive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(keepAlive))
  for (const expectedLeft of [2, 0]) {
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    running.begin()
    running.begin()
    t.equal(left.length, expectedLeft === 2 ? 7 : 2, 'nothing is done within the call')
    await finished
    await new Promise(setImmediate)
    t.equal(left.length, expectedLeft)
  }
})
