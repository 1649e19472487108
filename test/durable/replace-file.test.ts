import t from 'tap'
import { replaceFile } from '../../src/durable/replace-file.ts'
import {
  allLost,
  namesLost,
  nothingLost,
  octetsLost,
  SimulatedDisk,
} from '../helpers/simulated-disk.ts'

const path = '/d/file'
const textOf = async (disk: SimulatedDisk, at = path) => (await disk.read(at))?.toString()

async function diskWith(text: string): Promise<SimulatedDisk> {
  const disk = new SimulatedDisk()
  await replaceFile(disk, path, Buffer.from(text))
  await disk.syncDirectory('/')
  await disk.syncDirectory('/d')
  return disk
}

t.test('at every instant there is the old file or all of the new one', async t => {
  const disk = await diskWith('old')
  const pictures: SimulatedDisk[] = []
  disk.before = () => {
    for (const loss of [allLost, octetsLost, namesLost, nothingLost])
      pictures.push(disk.after(loss))
  }
  await replaceFile(disk, path, Buffer.from('new'), { keepsPrevious: true })
  await disk.syncDirectory('/d')
  for (const picture of pictures) t.match(await textOf(picture), /^(old|new)$/)
  t.equal(await textOf(disk.after(allLost)), 'new')
  t.equal(await textOf(disk, `${path}.prev`), 'old')
})

t.test('what cannot be written leaves the old file, and nothing beside it', async t => {
  const disk = await diskWith('old')
  disk.capacityOctets = disk.usedOctets + 2
  await t.rejects(replaceFile(disk, path, Buffer.from('new')), { code: 'ENOSPC' })
  t.equal(await textOf(disk), 'old')
  t.same(disk.paths, [path])
})
