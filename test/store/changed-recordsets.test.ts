import fc from 'fast-check'
import t from 'tap'
import { NumberSet } from '../../src/store/changed-recordsets.ts'
import { PackedRecordsets } from '../../src/store/packed-recordsets.ts'
import { recordsetRow, uuidOf } from '../helpers/store-rows.ts'

t.test('a set of numbers is what a Set of them is', async t => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat({ max: 5000 }), fc.boolean())), steps => {
      const [bits, plain] = [new NumberSet(), new Set<number>()]
      for (const [number, isIn] of steps) {
        if (isIn) {
          bits.add(number)
          plain.add(number)
        } else {
          bits.delete(number)
          plain.delete(number)
        }
      }
      const sorted = [...plain].sort((left, right) => left - right)
      return (
        bits.size === plain.size &&
        [...bits].join() === sorted.join() &&
        steps.every(([number]) => bits.has(number) === plain.has(number))
      )
    }),
  )
  t.pass()
})

const row = (id: string, version = 1) => recordsetRow({ id, version })

t.test(
  'what is new or changed is to be written, and a deletion if a segment may have it',
  async t => {
    const heap = new PackedRecordsets()
    const [one, two] = [heap.add(row(uuidOf(1))), heap.add(row('odd'))]
    t.same([...heap.changed.take().numbers], [one, two])
    t.equal(heap.changed.size, 0)
    for (const number of [one, two]) heap.changed.noteStored(number)
    heap.replace(one, row(uuidOf(1), 2))
    t.same([...heap.changed.take().numbers], [one])
    heap.delete(one)
    heap.delete(two)
    const { numbers, deleted } = heap.changed.take()
    t.same([...numbers], [])
    t.equal(deleted.words.length, 4)
    t.same(deleted.texts, ['odd'])
    heap.delete(heap.add(row(uuidOf(3))))
    t.equal(heap.changed.size, 0, 'no segment has heard of it')
  },
)

t.test('what was not written after all is to be written', async t => {
  const heap = new PackedRecordsets()
  const [one, two] = [heap.add(row(uuidOf(1))), heap.add(row(uuidOf(2)))]
  heap.changed.noteStored(two)
  heap.delete(two)
  const taken = heap.changed.take()
  const three = heap.add(row(uuidOf(3)))
  heap.changed.putBack(taken)
  const { numbers, deleted } = heap.changed.take()
  t.same([...numbers].sort(), [one, three].sort())
  t.equal(deleted.size, 1)
})

t.test(
  'a later state that was loaded in the place of an earlier one is as changed as it is',
  async t => {
    const heap = new PackedRecordsets()
    const stored = heap.add(row(uuidOf(1)))
    heap.changed.take()
    heap.changed.noteStored(stored)
    heap.move(heap.add(row(uuidOf(1), 2)), stored)
    t.same([...heap.changed.take().numbers], [stored])
    heap.delete(stored)
    t.equal(heap.changed.take().deleted.size, 1)
  },
)
