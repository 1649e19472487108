import t from 'tap'
import { setLostAside } from '../../../src/store/shared/copy.ts'
import type { PastCommit } from '../../../src/store/store.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

function commitOf(lsn: number, atMicros: number): PastCommit {
  return { lsn, atMicros, changes: [], facts: [], actor: undefined }
}

t.test('what was lost from one commit on is kept when that number is lost again', async t => {
  const place = { files: new SimulatedDisk(), directory: '/srv/data' }
  const first = await setLostAside(place, [commitOf(3, 1_000), commitOf(4, 2_000)])
  const second = await setLostAside(place, [commitOf(3, 5_000)])
  t.not(second, first)
  const text = (await place.files.read(first))?.toString() ?? ''
  t.equal(text.trim().split('\n').length, 2)
  t.equal(await setLostAside(place, [commitOf(3, 5_000)]), second, 'an interrupted one is repeated')
})
