import t from 'tap'
import { Epochs, ReaderEpoch, readerWord } from '../../../src/zone/table/epochs.ts'
import { header } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'

function open(): { memory: TableMemory; epochs: Epochs; freed: number[] } {
  const memory = new TableMemory(new SharedArrayBuffer(2 ** 16))
  const freed: number[] = []
  return { memory, freed, epochs: new Epochs(memory, ref => freed.push(ref)) }
}

t.test('without readers a retired block is free at once', async t => {
  const { epochs, freed } = open()
  epochs.retire(2)
  t.same(freed, [])
  epochs.reclaim()
  epochs.reclaim()
  t.same(freed, [2])
})

t.test('a reader keeps what was retired since its batch began, and nothing else', async t => {
  const { memory, epochs, freed } = open()
  const [first, second] = [new ReaderEpoch(memory, 0), new ReaderEpoch(memory, 255)]
  epochs.retire(2)
  epochs.reclaim()
  first.enter()
  epochs.retire(4)
  epochs.reclaim()
  second.enter()
  epochs.retire(6)
  epochs.reclaim()
  t.same(freed, [2])
  first.leave()
  epochs.reclaim()
  t.same(freed, [2, 4])
  first.enter()
  second.leave()
  epochs.reclaim()
  t.same(freed, [2, 4, 6])
})

t.test('an epoch has passed when every reader that was in it has left', async t => {
  const { memory, epochs } = open()
  const reader = new ReaderEpoch(memory, 5)
  reader.enter()
  const epoch = epochs.current
  t.equal(epochs.hasPassed(epoch), false)
  t.equal(epochs.hasPassed(epoch), false)
  reader.leave()
  reader.enter()
  t.equal(epochs.hasPassed(epoch), true)
})

t.test('very many blocks wait in order, and are freed as they go', async t => {
  const { memory, epochs, freed } = open()
  const reader = new ReaderEpoch(memory, 0)
  reader.enter()
  const refs = Array.from({ length: 5000 }, (_, i) => 2 * (i + 1))
  for (const ref of refs) epochs.retire(ref)
  t.same(freed, [])
  reader.leave()
  epochs.reclaim()
  t.same(freed, refs)
  for (const ref of refs) epochs.retire(ref)
  t.ok(freed.length > 2 * refs.length - 200, 'reclaims by itself')
})

t.test('epochs go around: 2^31 and 0 are nothing special', async t => {
  for (const start of [0x7fff_fffe, -2]) {
    const { memory, epochs, freed } = open()
    const reader = new ReaderEpoch(memory, 0)
    memory.words[header.epoch] = start
    reader.enter()
    for (let i = 1; i <= 4; i += 1) {
      epochs.retire(2 * i)
      epochs.reclaim()
    }
    t.same(freed, [])
    t.not(memory.words[readerWord(0)], 0)
    reader.leave()
    epochs.reclaim()
    t.same(freed, [2, 4, 6, 8])
  }
})
