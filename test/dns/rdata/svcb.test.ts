import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatRdata, parseRdata, readRdata } from '../../../src/dns/rdata/index.ts'
import { Reader } from '../../../src/dns/reader.ts'
import { hexOf, octetsOf } from '../../helpers/wire.ts'

const { SVCB } = types

t.test('the test vectors of RFC 9460 appendix D', async t => {
  const foo = '03666f6f076578616d706c6503636f6d00'
  const fooOrg = '03666f6f076578616d706c65036f726700'
  const rows: readonly (readonly [string, string])[] = [
    ['0 foo.example.com.', `0000${foo}`],
    ['1 .', '000100'],
    ['16 foo.example.com. port=53', `0010${foo}000300020035`],
    ['1 foo.example.com. key667=hello', `0001${foo}029b000568656c6c6f`],
    [String.raw`1 foo.example.com. key667="hello\210qoo"`, `0001${foo}029b000968656c6c6fd2716f6f`],
    [
      '1 foo.example.com. ipv6hint="2001:db8::1,2001:db8::53:1"',
      `0001${foo}0006002020010db800000000000000000000000120010db8000000000000000000530001`,
    ],
    [
      '1 example.com. ipv6hint="2001:db8:122:344::192.0.2.33"',
      `0001076578616d706c6503636f6d000006001020010db8012203440000 0000c0000221`.replace(' ', ''),
    ],
    [
      '16 foo.example.org. alpn=h2,h3-19 mandatory=ipv4hint,alpn ipv4hint=192.0.2.1',
      `0010${fooOrg}000000040001000400010009026832 0568332d3139000400 04c0000201`.replaceAll(
        ' ',
        '',
      ),
    ],
    [
      String.raw`16 foo.example.org. alpn="f\\\\oo\\,bar,h2"`,
      `0010${fooOrg}0001000c08665c6f6f2c626172026832`,
    ],
    [
      String.raw`16 foo.example.org. alpn=f\\\092oo\092,bar,h2`,
      `0010${fooOrg}0001000c08665c6f6f2c626172026832`,
    ],
  ]
  for (const [text, hex] of rows) {
    t.equal(hexOf(parseRdata(SVCB, text)), hex, text)
    t.equal(hexOf(parseRdata(SVCB, formatRdata(SVCB, octetsOf(hex)))), hex, `${text} again`)
  }
})

t.test('the failure vectors of RFC 9460 appendix D.3', async t => {
  for (const params of [
    'key123=abc key123=def',
    'mandatory',
    'alpn',
    'port',
    'ipv4hint',
    'ipv6hint',
    'no-default-alpn=abc',
    'mandatory=key123',
    'mandatory=mandatory',
    'mandatory=key123,key123 key123=abc',
  ]) {
    t.throws(() => parseRdata(SVCB, `1 foo. ${params}`), { name: 'FormatError' }, params)
  }
})

t.test('values have the form of their key', async t => {
  for (const param of [
    'port=65536',
    'port=-1',
    'ipv4hint=192.0.2',
    'ipv4hint=192.0.2.1,',
    'ipv6hint=192.0.2.1',
    'ech=*',
    'ech=""',
    'alpn=h2,,h3',
    `alpn=${'x'.repeat(256)}`,
    'dohpath=/dns-query',
    'dohpath=dns-query{?dns}',
    'ohttp=1',
    'ohttp=',
    'ohttp=""',
    'no-default-alpn',
    'PORT=1',
    'key00001=x',
    'key65536=x',
    'keyx=y',
    '=x',
    '"port=1"',
    'key1="h2"',
    'key3=x',
    `key9=${'x'.repeat(0x1_0000)}`,
  ]) {
    t.throws(() => parseRdata(SVCB, `1 . ${param}`), { name: 'FormatError' }, param.slice(0, 60))
  }
})

t.test('a hostile template is judged in linear time', async t => {
  // Quadratic would be some 10^9 steps.
  const octets = Buffer.concat([octetsOf('000100 0007 fff0'), Buffer.alloc(0xfff0, '{')])
  octets.write('/', 7)
  const read = () => readRdata(new Reader(octets), SVCB, octets.length)
  t.throws(read, { name: 'FormatError', message: /dohpath/ })
})

t.test('a known key may be written by its number, with its wire value', async t => {
  t.equal(formatRdata(SVCB, parseRdata(SVCB, String.raw`1 . key3="\003U"`)), '1 . port=853')
  t.equal(formatRdata(SVCB, parseRdata(SVCB, '1 . key8')), '1 . ohttp')
})

t.test('parameters are sorted, and quoted where they must be', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['1 . port=1 alpn="h2,h3"', '1 . alpn=h2,h3 port=1'],
    ['1 . alpn=h2 no-default-alpn=""', '1 . alpn=h2 no-default-alpn'],
    ['1 . key9="a b"', '1 . key9="a b"'],
    ['1 . key9="a;b"', '1 . key9="a;b"'],
    ['1 . dohpath="/q{?dns}"', '1 . dohpath=/q{?dns}'],
    ['1 . ech="AQID"', '1 . ech=AQID'],
    ['1 . mandatory=port,alpn port=1 alpn=h2', '1 . mandatory=alpn,port alpn=h2 port=1'],
  ]
  for (const [text, written] of rows) {
    t.equal(formatRdata(SVCB, parseRdata(SVCB, text)), written)
  }
})

t.test('in alias mode parameters are ignored, but what contradicts itself is a slip', async t => {
  t.equal(formatRdata(SVCB, parseRdata(SVCB, '0 a. alpn=h2')), '0 a. alpn=h2')
  for (const text of ['0 . mandatory=alpn', '0 a. no-default-alpn']) {
    t.throws(() => parseRdata(SVCB, text), { name: 'FormatError' }, text)
  }
})

t.test('HTTPS names protocols of HTTP, SVCB any', async t => {
  for (const alpn of ['h2,h3', 'http/1.1', 'h3-29', 'h2c', 'h3-Q050', 'hq-interop']) {
    const text = `1 . alpn=${alpn}`
    t.equal(formatRdata(types.HTTPS, parseRdata(types.HTTPS, text)), text)
  }
  for (const alpn of ['http2', 'H2', 'h2,dot', 'b0rk']) {
    const text = `1 . alpn=${alpn}`
    t.throws(() => parseRdata(types.HTTPS, text), { message: /no protocol of HTTP/ }, alpn)
    t.equal(formatRdata(SVCB, parseRdata(SVCB, text)), text)
  }
  const foreign = parseRdata(SVCB, '1 . alpn=dot')
  t.match(formatRdata(types.HTTPS, foreign), /^\\#/, 'kept as another server sends it')
})

t.test('malformed parameters on the wire are refused (RFC 9460 section 2.2)', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['keys out of order', '000100 0003 0002 0035 0001 0003 026832'],
    ['a key twice', '000100 0003 0002 0035 0003 0002 0035'],
    ['a value past the end', '000100 0003 0003 0035'],
    ['a port of one octet', '000100 0003 0001 35'],
    ['an empty alpn', '000100 0001 0000'],
    ['an alpn past its end', '000100 0001 0003 036832'],
    ['an empty protocol', '000100 0001 0001 00'],
    ['half an address', '000100 0004 0003 c00002'],
    ['no address', '000100 0004 0000'],
    ['half a mandatory key', '000100 0000 0001 00'],
    ['mandatory keys out of order', '000100 0000 0004 0003 0001'],
    ['mandatory itself', '000100 0000 0002 0000'],
    ['a value where there is none', '000100 0002 0001 00'],
  ]
  for (const [what, hex] of rows) {
    const octets = octetsOf(hex)
    t.throws(
      () => readRdata(new Reader(octets), SVCB, octets.length),
      { name: 'FormatError' },
      what,
    )
  }
})

t.test(
  'a record of another server that breaks the rules between keys is kept as it is',
  async t => {
    const octets = octetsOf('000100 0002 0000')
    const text = formatRdata(SVCB, octets)
    t.equal(text, '\\# 7 00010000020000')
    t.equal(hexOf(parseRdata(SVCB, text)), hexOf(octets))
  },
)
