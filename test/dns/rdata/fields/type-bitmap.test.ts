import t from 'tap'
import { types } from '../../../../src/dns/codes.ts'
import { formatRdata, parseRdata, readRdata } from '../../../../src/dns/rdata/index.ts'
import { Reader } from '../../../../src/dns/reader.ts'
import { octetsOf } from '../../../helpers/wire.ts'

t.test('types are given back in ascending order, once each', async t => {
  const octets = parseRdata(types.NSEC, 'a. NSEC A TYPE65535 a TYPE256')
  t.equal(formatRdata(types.NSEC, octets), 'a. A NSEC URI TYPE65535')
})

t.test('what is no type is refused', async t => {
  t.throws(() => parseRdata(types.NSEC, 'a. A NOPE'), { name: 'FormatError', message: /'NOPE'/ })
})

t.test('a set of types has one wire form only (RFC 4034 section 4.1.2)', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['windows out of order', '01 01 40 00 01 40'],
    ['a window twice', '00 01 40 00 01 40'],
    ['an empty window', '00 00'],
    ['a window that ends in zero', '00 02 4000'],
    ['a window of 33 octets', `00 21 ${'01'.repeat(33)}`],
    ['a window past the end', '00 02 40'],
    ['a window without a length', '00'],
  ]
  for (const [what, hex] of rows) {
    const octets = octetsOf(`00 ${hex}`)
    const read = () => readRdata(new Reader(octets), types.NSEC, octets.length)
    t.throws(read, { name: 'FormatError' }, what)
  }
  const full = octetsOf(`00 00 20 ${'ff'.repeat(32)}`)
  t.equal(readRdata(new Reader(full), types.NSEC, full.length).length, full.length)
})
