import t from 'tap'
import { frameOf } from '../../src/durable/frame.ts'
import {
  decodeBatch,
  encodeBatch,
  firstOfBatchAt,
  frameOctetsOf,
  listSegments,
  markOf,
  partsOf,
  segmentAt,
  segmentHeader,
  segmentHeaderLength,
} from '../../src/durable/log-segment.ts'
import { SimulatedDisk } from '../helpers/simulated-disk.ts'

// Not a random one: with the last octet of a torn frame as its first, it would mend that frame.
const mark = Buffer.from('mark')
const header = segmentHeader(mark)
const batch = (first: number, ...texts: string[]) => ({
  first,
  entries: texts.map(text => Buffer.from(text)),
})

t.test(
  'the segments of a directory are listed by their first entries, and nothing else is',
  async t => {
    const files = new SimulatedDisk()
    await files.makeDirectory('/log')
    for (const name of ['0000000000000100.log', '0000000000000020.log', 'x.log', '20.log'])
      await (await files.create(`/log/${name}`)).close()
    t.same(await listSegments(files, '/log'), [segmentAt('/log', 20), segmentAt('/log', 100)])
    t.same(await listSegments(files, '/none'), [])
  },
)

t.test('a header says the mark; what is cut, changed or of another version says none', async t => {
  t.equal(header.length, segmentHeaderLength)
  t.same(markOf(header), mark)
  t.equal(markOf(header.subarray(0, -1)), undefined)
  const payload = Buffer.alloc(8)
  payload.writeUInt32LE(2)
  t.equal(markOf(frameOf(payload)), undefined)
})

t.test('a batch comes back, entries of no octets too, and has a number beyond 32 bits', async t => {
  const given = batch(2 ** 40, 'a', '', 'c'.repeat(1000))
  const frame = encodeBatch(given, mark)
  t.equal(frame.length, frameOctetsOf(given))
  t.equal(firstOfBatchAt(frame, 0), 2 ** 40)
  t.same(decodeBatch(frame.subarray(12)), given)
})

t.test(
  'what is no frame is told from what is, and what a stranger wrote is not taken for one',
  async t => {
    const forged = encodeBatch(batch(9, 'forged'), Buffer.from('ZwRf'))
    const torn = encodeBatch(batch(2, forged.toString('latin1')), mark).subarray(0, -1)
    const one = encodeBatch(batch(1, 'one'), mark)
    const three = encodeBatch(batch(3, 'three'), mark)
    const kinds = (...parts: Buffer[]) =>
      [...partsOf(Buffer.concat(parts))].map(part =>
        part.kind === 'batch' ? part.batch.first : part.isLast,
      )
    t.same(kinds(header, one, three), [1, 3])
    t.same(kinds(header, one, torn), [1, true])
    t.same(kinds(header, one, torn, three), [1, false, 3])
    t.same(kinds(), [])
    t.same(kinds(header), [])
    t.same(kinds(header.subarray(0, 7)), [true], 'a header that was being written')
    t.same(kinds(Buffer.alloc(segmentHeaderLength), one), [false], 'one that was written before')
  },
)
