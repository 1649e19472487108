import t from 'tap'
import { Journal, readClosedJournal } from '../../../src/rating/segments/journal.ts'
import { MemoryDisk } from '../../helpers/memory-disk.ts'

const open = (disk: MemoryDisk) => Journal.open(disk, 'j', '1.journal')
const texts = (records: readonly Buffer[]): readonly string[] => records.map(String)

t.test('records come back in order, those appended together too', async t => {
  const disk = new MemoryDisk()
  const { journal } = await open(disk)
  await journal.append([Buffer.from('a'), Buffer.alloc(0)])
  await journal.append([Buffer.from('c')])
  await journal.close()
  t.same(texts((await open(disk)).records), ['a', '', 'c'])
  t.same(texts(await readClosedJournal(disk, 'j/1.journal')), ['a', '', 'c'])
})

t.test('what was appended together is there together or not at all', async t => {
  const disk = new MemoryDisk()
  const { journal } = await open(disk)
  await journal.append([Buffer.from('a')])
  const whole = journal.length
  await journal.append([Buffer.from('b'), Buffer.from('c')])
  for (let length = whole; length < journal.length; length++) {
    const torn = disk.afterKill()
    torn.damage('j/1.journal', data => data.subarray(0, length))
    t.same(texts((await open(torn)).records), ['a'], `${length} octets`)
  }
})

t.test('a journal that is closed has no torn end', async t => {
  const disk = new MemoryDisk()
  const { journal } = await open(disk)
  await journal.append([Buffer.from('a')])
  disk.damage('j/1.journal', data => data.subarray(0, -1))
  await t.rejects(readClosedJournal(disk, 'j/1.journal'), { name: 'DamagedFileError' })
})
