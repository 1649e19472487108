import fc from 'fast-check'
import t from 'tap'
import { Log } from '../../src/durable/log.ts'
import { neededSegments, readLog, soundBatches, tornEndOf } from '../../src/durable/log-recovery.ts'
import { listSegments, segmentAt } from '../../src/durable/log-segment.ts'
import { heldAsync } from '../helpers/held.ts'
import { nothingLost, SimulatedDisk } from '../helpers/simulated-disk.ts'

const directory = '/log'
const pathOf = (first: number) => segmentAt(directory, first).path

async function read(files: SimulatedDisk, after = 0) {
  const entries: string[] = []
  const segments = await listSegments(files, directory)
  const apply = (_: number, entry: Buffer) => void entries.push(String(entry))
  return { found: await readLog(files, segments, { after, apply }), entries }
}

/** A log with a segment for each list of batches; returns where each batch ends. */
async function logOf(...segments: readonly (readonly (readonly string[])[])[]) {
  const files = new SimulatedDisk()
  await files.makeDirectory(directory)
  const { found } = await read(files)
  const log = new Log({ files, directory, segments: [], found })
  const ends: number[] = []
  for (const batches of segments) {
    for (const texts of batches) {
      await log.append(texts.map(text => Buffer.from(text)))
      ends.push(log.capture().at(-1)?.octets ?? 0)
    }
    log.rotate()
  }
  return { files, ends }
}

const copyOf = (files: SimulatedDisk) => files.after(nothingLost)

t.test('a log that is cut anywhere has its whole batches, and a torn end', async t => {
  const { files, ends } = await logOf([['a', 'b'], ['c'], ['d', 'e']])
  const size = ends.at(-1) ?? 0
  for (let length = 0; length <= size; length += 1) {
    const torn = copyOf(files)
    torn.damage(pathOf(1), octets => octets.subarray(0, length))
    const { found, entries } = await read(torn)
    const batches = ends.filter(end => end <= length).length
    t.equal(entries.join(''), ['', 'ab', 'abc', 'abcde'][batches], `${length} octets`)
    t.notOk(found.break?.isDamage)
    const isBetween = length > 0 && length !== 20 && !ends.includes(length)
    t.equal(found.break !== undefined, isBetween)
  }
})

t.test(
  'any octet that is changed is seen: as damage before the last batch, as torn within it',
  async t => {
    const { files, ends } = await logOf([['a', 'b'], ['c'], ['d', 'e']])
    const [first = 0, second = 0, third = 0] = ends
    await heldAsync(
      t,
      fc.asyncProperty(fc.nat(third - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const damaged = copyOf(files)
        damaged.damage(pathOf(1), octets => {
          octets[at] = (octets[at] ?? 0) ^ flip
          return octets
        })
        const { found, entries } = await read(damaged)
        const begin = [0, 20, first, second].findLast(begin => begin <= at) ?? 0
        return (
          found.break?.offset === begin &&
          found.break.isDamage === at < second &&
          entries.join('') === (begin >= second ? 'abc' : begin >= first ? 'ab' : '')
        )
      }),
      { numRuns: 300 },
    )
  },
)

t.test('zeros where the last batch was going to be are a torn end', async t => {
  const { files, ends } = await logOf([['a'], ['b', 'c']])
  const [first = 0, last = 0] = ends
  for (let from = first; from < last; from += 1) {
    const torn = copyOf(files)
    torn.damage(pathOf(1), octets => octets.fill(0, from))
    t.notOk((await read(torn)).found.break?.isDamage, `from octet ${from}`)
  }
  const longer = copyOf(files)
  longer.damage(pathOf(1), octets => Buffer.concat([octets, Buffer.alloc(4096)]))
  const { entries, found } = await read(longer)
  t.same(entries, ['a', 'b', 'c'])
  t.equal(found.break, undefined, 'room for later appends is no end that is torn')
  t.equal(found.lastOctets, last)
})

t.test('a segment before the last may have room at its end', async t => {
  const { files } = await logOf([['a']], [['b']])
  files.damage(pathOf(1), octets => Buffer.concat([octets, Buffer.alloc(4096)]))
  t.match(await read(files), { entries: ['a', 'b'], found: { break: undefined } })
})

t.test('a segment before the last has no torn end, and none may be missing', async t => {
  const { files } = await logOf([['a']], [['b']], [['c']])
  const without = async (first: number) => {
    const copy = copyOf(files)
    await copy.remove(pathOf(first))
    return copy
  }
  const torn = copyOf(files)
  torn.damage(pathOf(2), octets => octets.subarray(0, -1))
  t.match((await read(torn)).found.break, { isDamage: true, segment: { first: 2 } })
  t.match((await read(await without(2))).found.break, {
    isDamage: true,
    problem: /begins with entry 3/,
  })
  t.match((await read(await without(1), 1)).entries, ['b', 'c'], 'unless it is not needed')
  t.match((await read(await without(3))).found, { lastNumber: 2, break: undefined })
  t.throws(() => tornEndOf({ ...emptyBreak, lastNumber: 1 }), { name: 'DamageError' })
})

const emptyBreak = {
  lastOctets: 0,
  lastMark: undefined,
  octetCount: 0,
  break: {
    segment: segmentAt(directory, 1),
    offset: 7,
    lengthOctets: 9,
    isDamage: true,
    problem: 'it is damaged',
  },
}

t.test('what is not needed is not looked at', async t => {
  const { files } = await logOf([['a'], ['b']], [['c']])
  files.damage(pathOf(1), () => Buffer.from('rubbish'))
  const { found, entries } = await read(files, 2)
  t.same(entries, ['c'])
  t.equal(found.break, undefined)
  t.same(
    neededSegments(await listSegments(files, directory), 1).map(({ first }) => first),
    [1, 3],
  )
})

t.test('sound batches are reported, whatever is between them', async t => {
  const { files, ends } = await logOf([['a'], ['b'], ['c']])
  const octets = (await files.read(pathOf(1))) ?? Buffer.alloc(0)
  t.match(soundBatches(octets), { batches: { length: 3 }, isBroken: false })
  octets[(ends[0] ?? 0) + 15] = 1
  t.match(soundBatches(octets), { batches: [{ first: 1 }, { first: 3 }], isBroken: true })
})
