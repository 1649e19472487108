import t from 'tap'
import { openHourSource } from '../../../src/rating/metering/hour-source.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

const options = { path: '/usage/source.json', meterFolder: '/usage/journal', node: 'zw1', hour: 7 }

t.test('each directory is a source of its own, and stays the same', async t => {
  const files = new SimulatedDisk()
  const source = await openHourSource({ ...options, files })
  t.match(source(0), /^zw1 [0-9a-f-]{36}$/)
  t.equal(source(7), source(0))
  const again = await openHourSource({ ...options, files: files.afterKill() })
  t.equal(again(8), source(0))
  const other = await openHourSource({ ...options, files: new SimulatedDisk() })
  t.not(other(7), source(7))
})

t.test('what an earlier version has handed over is replaced, and not counted twice', async t => {
  const files = new SimulatedDisk()
  await files.makeDirectory('/usage/journal')
  await (await files.create('/usage/journal/1')).close()
  const source = await openHourSource({ ...options, files })
  t.equal(source(7), 'zw1', 'it may have been handed over in parts')
  t.match(source(8), /^zw1 [0-9a-f-]{36}$/)
  const again = await openHourSource({ ...options, files: files.afterKill(), hour: 9 })
  t.equal(again(7), 'zw1')
  t.equal(again(8), source(8))
})

t.test('a directory on a full disk hands over as the node', async t => {
  const files = new SimulatedDisk()
  files.before = async () => {
    throw Object.assign(new Error('no room'), { code: 'ENOSPC' })
  }
  const source = await openHourSource({ ...options, files })
  t.equal(source(8), 'zw1')
})
