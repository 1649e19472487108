import fc from 'fast-check'
import t from 'tap'
import { frameLengthAt, frameOf, framePayload, nextFrameAt } from '../../src/durable/frame.ts'
import { held } from '../helpers/held.ts'

const payload = Buffer.from('payload')
const frame = frameOf(payload)

t.test('a payload comes back, from wherever its frame begins', async t => {
  t.same(framePayload(frame), payload)
  t.same(framePayload(Buffer.concat([Buffer.alloc(3), frame, Buffer.alloc(3)]), 3), payload)
  t.equal(frameLengthAt(frame, 0), frame.length)
  t.equal(frameLengthAt(frame, 1), undefined)
})

t.test('a frame that is cut is none, wherever', async t => {
  for (let length = 0; length < frame.length; length += 1)
    t.equal(framePayload(frame.subarray(0, length)), undefined, `${length} octets`)
})

t.test('zeros behind the beginning of a frame are no frame', async t => {
  for (let length = 0; length < frame.length; length += 1)
    t.equal(framePayload(Buffer.concat([frame.subarray(0, length), Buffer.alloc(20)])), undefined)
})

t.test('a frame with any octet changed is none', async t => {
  held(
    t,
    fc.property(fc.nat(frame.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Buffer.from(frame)
      damaged[at] = (damaged[at] ?? 0) ^ flip
      return framePayload(damaged) === undefined
    }),
    { numRuns: 500 },
  )
})

t.test(
  'the next sound frame is found behind anything, and no other mark is taken for one',
  async t => {
    const mark = Buffer.from('mine')
    const mine = frameOf(payload, mark)
    const octets = Buffer.concat([mark, frame, mark, Buffer.alloc(9), mine])
    t.equal(nextFrameAt(octets, 0, mark), octets.length - mine.length)
    t.equal(nextFrameAt(octets, 0), 4)
    t.equal(nextFrameAt(octets, octets.length - mine.length + 1, mark), undefined)
    t.equal(framePayload(frame, 0, mark), undefined)
  },
)
