import t from 'tap'
import { DamageError } from '../../../src/durable/damage.ts'
import { readLost, setLostAside } from '../../../src/store/shared/copy.ts'
import type { PastCommit } from '../../../src/store/store.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

const remedy =
  'Restore it from a backup. Without /srv/data/unsettled.lost-3-1000.ndjson it is left alone: the serials of the zones in it are then not raised, and secondaries that have its changes keep them'

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

t.test('what was lost is read until it is made up for; a damaged line is named', async t => {
  const files = new SimulatedDisk()
  const place = { files, directory: '/srv/data' }
  const path = await setLostAside(place, [commitOf(3, 1_000), commitOf(4, 2_000)])
  const { commits, settle } = await readLost(place)
  t.match(commits, [{ lsn: 3 }, { lsn: 4 }])
  files.damage(path, octets => octets.subarray(0, -5))
  await t.rejects(readLost(place), new DamageError(path, { problem: 'line 2 is not JSON', remedy }))
  await settle()
  t.same((await readLost(place)).commits, [])
})
