import fc from 'fast-check'
import t from 'tap'
import { isNewerSerial, nextSerial } from '../../src/dns/serial.ts'

const top = 0xffff_ffff
const half = 0x8000_0000

t.test('newer means ahead by less than half the circle (RFC 1982 section 3.2)', async t => {
  const rows: readonly (readonly [number, number, boolean])[] = [
    [1, 0, true],
    [0, 1, false],
    [7, 7, false],
    [0, top, true],
    [top, 0, false],
    [half - 1, 0, true],
    [half, 0, false],
    [0, half, false],
    [half + 1, 0, false],
    [44, 100, false],
    [100, top - 40, true],
  ]
  for (const [serial, other, isNewer] of rows) {
    t.equal(isNewerSerial(serial, other), isNewer, `${serial} after ${other}`)
  }
})

t.test('the next serial is the time where that is newer, otherwise one more', async t => {
  t.equal(nextSerial(10, 1_700_000_000.9), 1_700_000_000)
  t.equal(nextSerial(1_700_000_000, 1_700_000_000), 1_700_000_001)
  t.equal(nextSerial(2_026_112_101, 1_700_000_000), 2_026_112_102)
  t.equal(nextSerial(top, top), 0)
})

t.test('the next serial is always newer', async t => {
  const u32 = fc.integer({ min: 0, max: top })
  const property = fc.property(u32, u32, (current, now) =>
    isNewerSerial(nextSerial(current, now), current),
  )
  t.doesNotThrow(() => fc.assert(property))
})
