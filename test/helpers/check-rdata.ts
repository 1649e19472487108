import type { Test } from 'tap'
import { formatRdata, parseRdata, readRdata, typeCode } from '../../src/dns/rdata/index.ts'
import { Reader } from '../../src/dns/reader.ts'
import { hexOf, octetsOf } from './wire.ts'

/** One rdata as text and as octets. */
export type RdataRow = {
  readonly type: string
  /** As `formatRdata` writes it. */
  readonly text: string
  readonly hex: string
  /** From this many octets on, a shorter or longer rdata may be valid too: the type ends in a field
   *  without a length. */
  readonly openFrom?: number
}

/** What every rdata type must pass: both ways, cut off at every length, and one octet too many. */
export function checkRdata(t: Test, { type, text, hex, openFrom = Infinity }: RdataRow): void {
  const code = typeCode(type) as number
  const octets = octetsOf(hex)
  t.test(`${type}: ${text}`, async t => {
    t.equal(hexOf(parseRdata(code, text)), hex, 'text to octets')
    t.equal(formatRdata(code, octets), text, 'octets to text')
    t.equal(hexOf(readRdata(new Reader(octets), code, octets.length)), hex, 'octets to octets')
    t.equal(hexOf(parseRdata(code, `\\# ${octets.length} ${hex}`)), hex, 'generic text to octets')
    t.throws(() => readRdata(new Reader(octets), code, octets.length + 1), { name: 'FormatError' })
    for (let length = 0; length < Math.min(octets.length, openFrom); length += 1) {
      const reader = new Reader(octets.subarray(0, length))
      t.throws(() => readRdata(reader, code, length), { name: 'FormatError' }, `${length} octets`)
    }
    if (octets.length < openFrom) {
      const longer = Uint8Array.of(...octets, 0)
      t.throws(() => readRdata(new Reader(longer), code, longer.length), { name: 'FormatError' })
    }
  })
}
