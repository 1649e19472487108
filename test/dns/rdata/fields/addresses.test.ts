import net from 'node:net'
import fc from 'fast-check'
import t from 'tap'
import { formatIpv4, parseIpv4 } from '../../../../src/dns/rdata/fields/ipv4.ts'
import { formatIpv6, parseIpv6 } from '../../../../src/dns/rdata/fields/ipv6.ts'
import { hexOf, octetsOf } from '../../../helpers/wire.ts'

function hexOrNone(octets: Uint8Array | undefined): string {
  return octets === undefined ? 'none' : hexOf(octets)
}

t.test('an IPv4 address is four decimal numbers up to 255', async t => {
  t.equal(hexOrNone(parseIpv4('192.0.2.1')), 'c0000201')
  t.equal(hexOrNone(parseIpv4('0.0.0.0')), '00000000')
  t.equal(hexOrNone(parseIpv4('255.255.255.255')), 'ffffffff')
  const texts = ['', '1', '1.2.3', '1.2.3.4.5', '256.1.1.1', '01.2.3.4', '00.0.0.0', '1..2.3']
  for (const text of [
    ...texts,
    '1.2.3.',
    '.1.2.3',
    '1.2.3.4 ',
    '-1.2.3.4',
    '1.2.3.x',
    '0x1.2.3.4',
  ]) {
    t.equal(parseIpv4(text), undefined, text)
  }
})

t.test('an IPv6 address has the forms of RFC 4291 section 2.2', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['1::', '00010000000000000000000000000000'],
    ['2001:DB8::0001', '20010db8000000000000000000000001'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['::2:3:4:5:6:7:8', '00000002000300040005000600070008'],
    ['1::4:5:6:7:8', '00010000000000040005000600070008'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
    ['64:ff9b::192.0.2.1', '0064ff9b0000000000000000c0000201'],
    ['1:2:3:4:5:6:192.0.2.1', '000100020003000400050006c0000201'],
    ['::192.0.2.1', '000000000000000000000000c0000201'],
  ]
  for (const [text, hex] of rows) t.equal(hexOrNone(parseIpv6(text)), hex, text)
})

t.test('what is no IPv6 address, or more than one', async t => {
  for (const text of [
    '',
    ':',
    ':::',
    '1',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '::1:2:3:4:5:6:7:8',
    '1:2:3:4::5:6:7:8',
    '1::2::3',
    ':1::',
    '1:',
    '1::2:',
    '12345::',
    'g::',
    'fe80::1%eth0',
    '2001:db8::/32',
    '::192.0.2',
    '::192.0.2.256',
    '::192.0.2.1:1',
    '1:2:3:4:5:6:7:192.0.2.1',
    '1::2:3:4:5:6:192.0.2.1',
    '192.0.2.1',
    ' ::1',
    '::1 ',
  ]) {
    t.equal(parseIpv6(text), undefined, text)
  }
})

t.test('an IPv6 address is written as RFC 5952 recommends', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['20010db8000000000000000000000001', '2001:db8::1'],
    ['20010db8000000010001000100010001', '2001:db8:0:1:1:1:1:1'],
    ['20010000000000010000000000000001', '2001:0:0:1::1'],
    ['20010db8000000000001000000000001', '2001:db8::1:0:0:1'],
    ['00000000000000000000000000000000', '::'],
    ['00010000000000000000000000000000', '1::'],
    ['ABCD000000000000000000000000ABCD', 'abcd::abcd'],
    ['00000000000000000000ffffc0000201', '::ffff:192.0.2.1'],
    ['000000000000000000000000c0000201', '::c000:201'],
  ]
  for (const [hex, text] of rows) t.equal(formatIpv6(octetsOf(hex)), text)
})

t.test('any address survives its text, which Node takes for the same', async t => {
  const group = fc.oneof(fc.constant([0, 0]), fc.tuple(fc.nat(255), fc.nat(255)))
  const groups = fc.array(group, { minLength: 8, maxLength: 8 })
  const property = fc.property(groups, pairs => {
    const octets = Uint8Array.from(pairs.flat())
    const text = formatIpv6(octets)
    const ipv4Text = formatIpv4(octets)
    return (
      net.isIPv6(text) &&
      hexOrNone(parseIpv6(text)) === hexOf(octets) &&
      hexOrNone(parseIpv6(pairs.map(pair => hexOf(Uint8Array.from(pair))).join(':'))) ===
        hexOf(octets) &&
      hexOrNone(parseIpv4(ipv4Text)) === hexOf(octets.subarray(0, 4))
    )
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('any text is taken or refused as Node does, but for zone ids', async t => {
  const piece = fc.constantFrom(':', '::', '1', 'ab', '0', 'ffff', '1.2.3.4', '.', '255', '01')
  const property = fc.property(fc.array(piece, { maxLength: 12 }), pieces => {
    const text = pieces.join('')
    return (
      (parseIpv6(text) !== undefined) === net.isIPv6(text) &&
      (parseIpv4(text) !== undefined) === net.isIPv4(text)
    )
  })
  t.doesNotThrow(() => fc.assert(property, { numRuns: 2000 }))
})
