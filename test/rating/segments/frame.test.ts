import fc from 'fast-check'
import t from 'tap'
import { frameHeader, readFrames } from '../../../src/rating/segments/frame.ts'
import { held } from '../../helpers/held.ts'

const frame = (payload: Buffer): Buffer => Buffer.concat([frameHeader(payload), payload])
const payloads = ['one', '', 'three'].map(text => Buffer.from(text))
const bytes = Buffer.concat(payloads.map(frame))

t.test('frames are read up to where a torn end begins', async t => {
  for (let length = 0; length <= bytes.length; length++) {
    const read = readFrames(bytes.subarray(0, length))
    const whole = [15, 27, 44].filter(end => end <= length)
    t.equal(read.payloads.length, whole.length, `${length} octets`)
    t.equal(read.length, whole.at(-1) ?? 0)
  }
})

t.test('octets that were never written look like a torn end', async t => {
  t.equal(readFrames(Buffer.concat([bytes, Buffer.alloc(100)])).length, bytes.length)
})

t.test('a changed octet is seen, and is no torn end while a sound frame follows', async t => {
  held(
    t,
    fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const damaged = Buffer.from(bytes)
      damaged[at] = (damaged[at] ?? 0) ^ flip
      try {
        return readFrames(damaged).length === 27 && at >= 27
      } catch (error) {
        return at < 27 && error instanceof Error && error.name === 'DamagedFileError'
      }
    }),
    { numRuns: 500 },
  )
})
