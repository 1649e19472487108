import t from 'tap'
import { AnswerBatch } from '../../src/transport/answer-batch.ts'

t.test('answers stand behind their lengths in the order they were added', async t => {
  const batch = new AnswerBatch()
  t.ok(batch.isEmpty)
  const room = batch.room()
  room.set([1, 2, 3])
  batch.add(room.subarray(0, 3), room)
  batch.add(Uint8Array.of(4, 5), batch.room())
  t.notOk(batch.isEmpty)
  t.equal(batch.take().toString('hex'), '0003010203' + '00020405')
  t.ok(batch.isEmpty)
})

t.test('room that is not used adds nothing', async t => {
  const batch = new AnswerBatch()
  batch.room().set([1, 2, 3])
  t.ok(batch.isEmpty)
  t.equal(batch.take().length, 0)
})

t.test('what was taken does not change when the batch is used again', async t => {
  const batch = new AnswerBatch()
  batch.add(Uint8Array.of(1), batch.room())
  const taken = batch.take()
  batch.add(Uint8Array.of(2), batch.room())
  t.equal(taken.toString('hex'), '000101')
})

t.test('there is room for the longest answer until the batch says it is full', async t => {
  const batch = new AnswerBatch()
  let count = 0
  while (!batch.isFull) {
    const room = batch.room()
    batch.add(room.fill(0xab, 0, 0xffff), room)
    count += 1
  }
  t.ok(count > 0)
  t.equal(batch.take().length, count * (2 + 0xffff))
})

t.test('an answer longer than a message can be is refused', async t => {
  const batch = new AnswerBatch()
  t.throws(() => batch.add(new Uint8Array(0x10000), batch.room()))
})
