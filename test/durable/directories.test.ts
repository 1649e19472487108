import t from 'tap'
import { makeDurableDirectory } from '../../src/durable/directories.ts'
import { allLost, SimulatedDisk } from '../helpers/simulated-disk.ts'

t.test('a directory and all on the way to it outlast a loss of power', async t => {
  const disk = new SimulatedDisk()
  await disk.makeDirectory('/a/b')
  await makeDurableDirectory(disk, '/a/b/c/d')
  const found = disk.after(allLost)
  t.same(await found.list('/a/b/c'), ['d'])
})

t.test('a directory above that may not be read was made by somebody else', async t => {
  const disk = new SimulatedDisk()
  const sync = disk.syncDirectory.bind(disk)
  disk.syncDirectory = path =>
    path === '/'
      ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
      : sync(path)
  await makeDurableDirectory(disk, '/a/b')
  t.same(await disk.list('/a'), ['b'])
})
