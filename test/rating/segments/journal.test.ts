import t from 'tap'
import { Journal, readClosedJournal, readJournal } from '../../../src/rating/segments/journal.ts'
import { SimulatedDisk } from '../../helpers/simulated-disk.ts'

const path = '/j/1.journal'
const texts = (records: readonly Buffer[]): readonly string[] => records.map(String)

async function open(disk: SimulatedDisk): Promise<Journal> {
  await disk.makeDirectory('/j')
  return Journal.open(disk, path, (await readJournal(disk, path)).lengthOctets)
}

t.test('records come back in order, those appended together too', async t => {
  const disk = new SimulatedDisk()
  const journal = await open(disk)
  await journal.append([Buffer.from('a'), Buffer.alloc(0)])
  await journal.append([Buffer.from('c')])
  await journal.close()
  t.same(texts((await readJournal(disk, path)).records), ['a', '', 'c'])
  t.same(texts(await readClosedJournal(disk, path)), ['a', '', 'c'])
})

t.test('what was appended together is there together or not at all', async t => {
  const disk = new SimulatedDisk()
  const journal = await open(disk)
  await journal.append([Buffer.from('a')])
  const whole = journal.length
  await journal.append([Buffer.from('b'), Buffer.from('c')])
  for (let length = whole; length < journal.length; length++) {
    const torn = disk.afterKill()
    torn.damage(path, data => data.subarray(0, length))
    t.same(texts((await readJournal(torn, path)).records), ['a'], `${length} octets`)
    t.equal((await open(torn)).length, whole, 'the torn end is cut off')
    t.equal(await torn.size(path), whole)
  }
})

t.test('a journal that is closed has no torn end', async t => {
  const disk = new SimulatedDisk()
  const journal = await open(disk)
  await journal.append([Buffer.from('a')])
  disk.damage(path, data => data.subarray(0, -1))
  await t.rejects(readClosedJournal(disk, path), { name: 'DamageError', file: path })
})
