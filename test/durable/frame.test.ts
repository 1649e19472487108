import fc from 'fast-check'
import t from 'tap'
import { frameOf, readFrames } from '../../src/durable/frame.ts'
import { held } from '../helpers/held.ts'

const payloads = ['one', '2', 'three'].map(text => Buffer.from(text))
const bytes = Buffer.concat(payloads.map(frameOf))

t.test('frames are read up to where a torn end begins', async t => {
  for (let length = 0; length <= bytes.length; length++) {
    const read = readFrames(bytes.subarray(0, length))
    const whole = [15, 28, 45].filter(end => end <= length)
    t.equal(read.payloads.length, whole.length, `${length} octets`)
    t.equal(read.lengthOctets, whole.at(-1) ?? 0)
    t.equal(read.laterAt, undefined)
  }
})

t.test('zeros behind the beginning of a frame are no frame', async t => {
  for (let length = 1; length < 15; length++) {
    const torn = Buffer.concat([bytes, bytes.subarray(0, length), Buffer.alloc(20)])
    t.equal(readFrames(torn).lengthOctets, bytes.length, `${length} octets of it`)
  }
})

t.test('octets that were never written look like a torn end', async t => {
  t.equal(readFrames(Buffer.concat([bytes, Buffer.alloc(100)])).lengthOctets, bytes.length)
})

t.test('a changed octet is seen, and is no torn end while a sound frame follows', async t => {
  held(
    t,
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ flip
      const { lengthOctets, laterAt } = readFrames(damaged)
      const end = [15, 28, 45].findLast(end => end <= at) ?? 0
      return (
        lengthOctets === end && laterAt === (at < 28 ? [15, 28].find(next => next > at) : undefined)
      )
    }),
    { numRuns: 500 },
  )
})
