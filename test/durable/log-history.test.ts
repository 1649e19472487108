import t from 'tap'
import { Log } from '../../src/durable/log.ts'
import { LogHistory } from '../../src/durable/log-history.ts'
import { readLog } from '../../src/durable/log-recovery.ts'
import { segmentAt } from '../../src/durable/log-segment.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

const directory = '/log'

const entryOf = (number: number, text = 'x'.repeat(400)) => Buffer.from(`${number} ${text}`)

/** A log with a segment for each list of entries, each appended alone. */
async function logOf(...segments: readonly (readonly number[])[]) {
  const files = new SimulatedDisk()
  await files.makeDirectory(directory)
  const found = await readLog(files, [], { after: 0, apply: () => undefined })
  const log = new Log({ files, directory, segments: [], found })
  for (const numbers of segments) {
    for (const number of numbers) await log.append([entryOf(number)])
    log.rotate()
  }
  let lastNumber = log.lastNumber
  const source = { files, segments: () => log.segments, lastNumber: () => lastNumber }
  return {
    files,
    log,
    source,
    show: (number: number) => {
      lastNumber = number
    },
    async numbersAfter(number: number) {
      const numbers: number[] = []
      for await (const past of new LogHistory(source).read(number)) numbers.push(past.number)
      return numbers
    },
  }
}

t.test('entries are read as they were written, those of one batch one by one', async t => {
  const { log, source, show } = await logOf([1])
  await log.append([entryOf(2, 'two'), Buffer.alloc(0)])
  show(3)
  const texts: string[] = []
  for await (const { number, entry } of new LogHistory(source).read(1))
    texts.push(`${number}:${entry}`)
  t.same(texts, ['2:2 two', '3:'])
})

t.test('it begins anywhere and goes on through all segments', async t => {
  const { numbersAfter } = await logOf([1, 2], [3], [4, 5])
  t.same(await numbersAfter(0), [1, 2, 3, 4, 5])
  t.same(await numbersAfter(1), [2, 3, 4, 5])
  t.same(await numbersAfter(3), [4, 5])
  t.same(await numbersAfter(5), [])
  t.same(await numbersAfter(99), [])
})

t.test('what is not visible yet is not read', async t => {
  const { numbersAfter, show } = await logOf([1, 2], [3])
  show(2)
  t.same(await numbersAfter(0), [1, 2])
})

t.test('room and what is being written there are not read, and what follows is', async t => {
  const { files, log, source } = await logOf([1])
  const { path } = segmentAt(directory, 1)
  const durable = log.capture().at(-1)?.octets ?? 0
  t.ok((await files.size(path)) > durable, 'there is room')
  // A write that other threads see half done.
  files.damage(path, octets => octets.fill(1, durable, durable + 9))
  const numbers: number[] = []
  for await (const { number } of new LogHistory(log.pastUpTo(() => 1)).read(0)) {
    numbers.push(number)
    await log.append([entryOf(number + 1)])
  }
  t.same(numbers, [1])
  const later: number[] = []
  const lastNumber = () => log.lastNumber
  for await (const { number } of new LogHistory({ ...source, files, lastNumber }).read(0))
    later.push(number)
  t.same(later, [1, 2], 'without knowing the end')
})

t.test('what is gone or damaged is left out', async t => {
  const { files, log, numbersAfter } = await logOf([1], [2, 3], [4])
  files.damage(segmentAt(directory, 2).path, octets => {
    octets[50] = (octets[50] ?? 0) ^ 1
    return octets
  })
  t.same(await numbersAfter(0), [1, 3, 4])
  await log.dropThrough(1)
  t.same(await numbersAfter(0), [3, 4])
  await files.remove(segmentAt(directory, 2).path)
  t.same(await numbersAfter(0), [4], 'also where that was not the log’s doing')
})

t.test('what is dropped under the reading ends there, and the rest is read', async t => {
  const { log, source } = await logOf([1, 2], [3], [4])
  const numbers: number[] = []
  for await (const { number } of new LogHistory(source).read(0)) {
    numbers.push(number)
    if (number === 1) await log.dropThrough(3)
  }
  t.same(numbers, [1, 2, 4])
})

t.test('what is appended under the reading is read as well', async t => {
  const { log, source, show } = await logOf([1], [2])
  const numbers: number[] = []
  for await (const { number } of new LogHistory(source).read(0)) {
    numbers.push(number)
    if (number !== 2) continue
    await log.append([entryOf(3)])
    show(3)
  }
  t.same(numbers, [1, 2, 3])
})

t.test('a batch longer than a piece of a file is read whole', async t => {
  const { log, numbersAfter, show } = await logOf([1])
  await log.append([entryOf(2, 'ü'.repeat(400_000)), entryOf(3)])
  show(3)
  t.same(await numbersAfter(0), [1, 2, 3])
})

t.test('in a long segment the reading begins near what is asked for', async t => {
  const numbers = Array.from({ length: 4_000 }, (_, i) => i + 1)
  const { files, source, numbersAfter } = await logOf(numbers)
  const { path } = segmentAt(directory, 1)
  const size = await files.size(path)
  t.ok(size > 1_500_000)
  for (const number of [0, 1, 2, 999, 1_000, 2_345, 3_998, 3_999])
    t.same(await numbersAfter(number), numbers.slice(number), `behind ${number}`)
  let octetCount = 0
  const counting = {
    ...source,
    files: {
      size: (path: string) => files.size(path),
      async readPiece(path: string, from: number, lengthOctets: number) {
        const piece = await files.readPiece(path, from, lengthOctets)
        octetCount += piece.length
        return piece
      },
    },
  }
  for await (const { number } of new LogHistory(counting).read(3_990)) t.ok(number > 3_990)
  t.ok(octetCount < size, `${octetCount} octets of ${size}`)
})

t.test('damage in a long segment does not mislead the bisection', async t => {
  const numbers = Array.from({ length: 4_000 }, (_, i) => i + 1)
  const { files, numbersAfter } = await logOf(numbers)
  files.damage(segmentAt(directory, 1).path, octets =>
    octets.fill(0, Math.floor(octets.length / 2) - 10, Math.floor(octets.length / 2) + 600_000),
  )
  const left = await numbersAfter(0)
  t.ok(left.length > 1_000 && left.length < 4_000)
  for (const number of [1, 1_500, 3_000, 3_990])
    t.same(
      await numbersAfter(number),
      left.filter(each => each > number),
    )
})

t.test('many readers take turns, and each is given all of it', async t => {
  const numbers = Array.from({ length: 2_000 }, (_, i) => i + 1)
  const { source } = await logOf(numbers)
  let under = 0
  let most = 0
  const watched = {
    ...source,
    files: {
      size: (path: string) => source.files.size(path),
      async readPiece(...piece: Parameters<typeof source.files.readPiece>) {
        under += 1
        most = Math.max(most, under)
        const octets = await source.files.readPiece(...piece)
        under -= 1
        return octets
      },
    },
  }
  const history = new LogHistory(watched)
  const readers = Array.from({ length: 20 }, async () => {
    const read: number[] = []
    for await (const { number } of history.read(0)) read.push(number)
    return read
  })
  for (const read of await Promise.all(readers)) t.same(read, numbers)
  t.equal(most, 1)
})
