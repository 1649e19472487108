import t from 'tap'
import { AnswerBatch } from '../../src/transport/answer-batch.ts'

t.test('answers stand behind their lengths in the order they were added', async t => {
  const batch = new AnswerBatch()
  t.ok(batch.isEmpty)
  batch.add(room => {
    room.set([1, 2, 3])
    return room.subarray(0, 3)
  })
  batch.add(() => Uint8Array.of(4, 5))
  t.notOk(batch.isEmpty)
  t.equal(batch.take().toString('hex'), '0003010203' + '00020405')
  t.ok(batch.isEmpty)
})

t.test('what answers nothing adds nothing', async t => {
  const batch = new AnswerBatch()
  t.notOk(batch.add(() => undefined))
  t.ok(batch.isEmpty)
})

t.test('what was taken does not change when the batch is used again', async t => {
  const batch = new AnswerBatch()
  batch.add(() => Uint8Array.of(1))
  const taken = batch.take()
  batch.add(() => Uint8Array.of(2))
  t.equal(taken.toString('hex'), '000101')
})

t.test('there is room for the longest answer until the batch says it is full', async t => {
  const batch = new AnswerBatch()
  let count = 0
  while (!batch.isFull) {
    t.ok(batch.add(room => room.fill(0xab, 0, 0xffff)))
    count += 1
  }
  t.ok(count > 0)
  t.equal(batch.take().length, count * (2 + 0xffff))
})

t.test('an answer longer than a message can be is refused', async t => {
  t.throws(() => new AnswerBatch().add(() => new Uint8Array(0x10000)))
})
