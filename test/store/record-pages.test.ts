import fc from 'fast-check'
import t from 'tap'
import { RecordPages } from '../../src/store/record-pages.ts'

const wordsOf = (count: number, value: number) => new Uint32Array(count).fill(value)

/** The words of a record and those behind it, to see where it ends. */
function read(pages: RecordPages, number: number, count: number): readonly number[] | undefined {
  const record = pages.get(number)
  return record && [...record.words.subarray(record.at, record.at + count)]
}

t.test('a record is found by its number until it is deleted', async t => {
  const pages = new RecordPages()
  t.equal(pages.get(1), undefined)
  const [one, two] = [pages.add(wordsOf(3, 7), 3), pages.add(wordsOf(2, 8), 2)]
  t.same([one, two], [1, 2])
  t.same(read(pages, one, 3), [7, 7, 7])
  t.same(read(pages, two, 2), [8, 8])
  pages.delete(one)
  t.equal(pages.get(one), undefined)
  t.same([...pages.numbers()], [two])
  t.equal(pages.add(wordsOf(1, 9), 1), one, 'a free number is given again')
})

t.test('the octets of a record are its words', async t => {
  const pages = new RecordPages()
  const number = pages.add(new Uint32Array([0x0403_0201]), 1)
  const { octets, at } = pages.get(number) ?? { octets: Buffer.alloc(0), at: 0 }
  t.same([...octets.subarray(4 * at, 4 * at + 4)], [1, 2, 3, 4])
})

t.test('a record longer than a page has all its words', async t => {
  const pages = new RecordPages()
  const small = pages.add(wordsOf(2, 1), 2)
  const count = 200_000
  const large = pages.add(wordsOf(count, 5), count)
  const next = pages.add(wordsOf(2, 2), 2)
  t.ok(read(pages, large, count)?.every(word => word === 5))
  pages.replace(large, wordsOf(1, 6), 1)
  t.same(
    [small, large, next].map(number => read(pages, number, 1)),
    [[1], [6], [2]],
  )
})

t.test('records are what a Map has, whatever comes, changes and goes', async t => {
  const step = fc.record({
    target: fc.nat({ max: 400 }),
    // Large enough for pages to fill up, and for some records to have pages of their own.
    count: fc.oneof(fc.nat({ max: 60 }), fc.integer({ min: 3000, max: 20_000 })),
    isDelete: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600, size: 'max' }), steps => {
      const pages = new RecordPages()
      const plain = new Map<number, { count: number; value: number }>()
      for (const [value, { target, count, isDelete }] of steps.entries()) {
        const known = [...plain.keys()][target]
        if (known !== undefined && isDelete) {
          pages.delete(known)
          plain.delete(known)
        } else if (known !== undefined) {
          pages.replace(known, wordsOf(count, value), count)
          plain.set(known, { count, value })
        } else plain.set(pages.add(wordsOf(count, value), count), { count, value })
      }
      const numbers = [...plain.keys()].sort((left, right) => left - right)
      return (
        pages.numbers().join() === numbers.join() &&
        [...plain].every(([number, { count, value }]) => {
          const words = read(pages, number, count)
          return words?.length === count && words.every(word => word === value)
        })
      )
    }),
    { numRuns: 20 },
  )
  t.pass()
})

t.test('what is deleted or replaced makes room for others', async t => {
  const pages = new RecordPages()
  const buffers = new Set<ArrayBufferLike>()
  const note = (number: number) =>
    buffers.add((pages.get(number) as { words: Uint32Array }).words.buffer)
  // Of a hundred records one stays; all that stay fit into two pages.
  for (let i = 0; i < 100_000; i += 1) {
    const number = pages.add(wordsOf(98, i), 98)
    if (i % 100 !== 0) pages.delete(number)
  }
  for (const number of pages.numbers()) note(number)
  t.equal(pages.numbers().length, 1000)
  t.ok(buffers.size <= 5, `${buffers.size} pages for what fits into two`)
})
