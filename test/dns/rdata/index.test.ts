import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatName, nameFromOctets, parseName } from '../../../src/dns/name.ts'
import { tokenize } from '../../../src/dns/presentation.ts'
import {
  formatRdata,
  formatRdataAt,
  parseRdata,
  parseRdataTokens,
  rdataTypes,
  readRdata,
  targetOffset,
  writeRdata,
} from '../../../src/dns/rdata/index.ts'
import { Reader } from '../../../src/dns/reader.ts'
import { Writer } from '../../../src/dns/writer.ts'
import { hexOf, octetsOf } from '../../helpers/wire.ts'

t.test('relative names in rdata need an origin', async t => {
  const origin = parseName('example.')
  t.throws(() => parseRdata(types.MX, '10 mail'), { name: 'FormatError' })
  t.equal(formatRdata(types.MX, parseRdata(types.MX, '10 mail', origin)), '10 mail.example.')
  t.equal(formatRdata(types.CNAME, parseRdata(types.CNAME, '@', origin)), 'example.')
  t.equal(formatRdata(types.CNAME, parseRdata(types.CNAME, 'a.', origin)), 'a.')
})

t.test('refused values say what was expected and what was found', async t => {
  const rows: readonly (readonly [number, string, RegExp])[] = [
    [types.A, '192.0.2', /A address.*IPv4.*'192\.0\.2'/],
    [types.MX, '10', /MX exchange.*found nothing/],
    [types.MX, 'mail.example. 10', /MX preference.*0 to 65535.*'mail\.example\.'/],
    [types.MX, '65536 mail.example.', /65536/],
    [types.MX, '10 mail.example. 20', /MX: expected the end.*'20'/],
    [types.CNAME, 'www', /'www' is not absolute/],
    [types.CNAME, '"www.example."', /without quotes/],
    [99_99, 'anything', /TYPE9999.*\\#/],
  ]
  for (const [type, text, message] of rows) {
    t.throws(() => parseRdata(type, text), { name: 'FormatError', message }, text)
  }
})

t.test('a number has no sign, no point, and fits', async t => {
  for (const number of ['-0', '-1', '+1', '1.0', '0x1', '1e2', '65536', '', '"1"', '99999999999']) {
    t.throws(() => parseRdata(types.MX, `${number} a.`), { name: 'FormatError' }, number)
  }
  t.equal(formatRdata(types.MX, parseRdata(types.MX, '65535 a.')), '65535 a.')
  t.equal(formatRdata(types.MX, parseRdata(types.MX, '0 a.')), '0 a.')
})

t.test('nothing at all is no rdata of any known type', async t => {
  for (const { code, mnemonic } of rdataTypes.values()) {
    t.throws(() => parseRdata(code, ''), { name: 'FormatError' }, mnemonic)
    t.throws(() => parseRdata(code, ' '), { name: 'FormatError' }, mnemonic)
  }
})

t.test('generic form (RFC 3597 section 5)', async t => {
  const rows: readonly (readonly [number, string, string])[] = [
    [0xff00, '\\# 0', ''],
    [0xff00, '\\# 3 aB cD eF', 'abcdef'],
    [types.A, '\\# 4 c0000201', 'c0000201'],
    [types.TXT, '\\# 2 0161', '0161'],
  ]
  for (const [type, text, hex] of rows) t.equal(hexOf(parseRdata(type, text)), hex, text)
  t.equal(formatRdata(0xff00, octetsOf('abcdef')), '\\# 3 abcdef')
  t.equal(formatRdata(0xff00, new Uint8Array()), '\\# 0')
})

t.test('generic form must be true of its type', async t => {
  const rows: readonly (readonly [number, string])[] = [
    [0xff00, '\\#'],
    [0xff00, '\\# 1'],
    [0xff00, '\\# 1 abcd'],
    [0xff00, '\\# 1 a'],
    [0xff00, '\\# 1 xy'],
    [0xff00, '\\# 65536 00'],
    [types.A, '\\# 3 c00002'],
    [types.MX, '\\# 4 000ac000'],
    [types.TXT, '\\# 0'],
  ]
  for (const [type, text] of rows) {
    t.throws(() => parseRdata(type, text), { name: 'FormatError' }, text)
  }
})

t.test('only names of RFC 1035 types are compressed (RFC 3597 section 4)', async t => {
  const compressed = [...rdataTypes.values()].filter(type => type.compression !== undefined)
  t.strictSame(
    compressed.map(type => type.mnemonic),
    ['CNAME', 'MB', 'MD', 'MF', 'MG', 'MINFO', 'MR', 'MX', 'NS', 'PTR', 'SOA'],
  )
  const written = (type: number, text: string) => {
    const writer = new Writer(new Uint8Array(100))
    writer.compressedName(parseName('example.'))
    writeRdata(writer, type, parseRdata(type, text))
    return hexOf(writer.finish().subarray(9))
  }
  t.equal(written(types.MX, '10 mail.example.'), '000a046d61696cc000')
  t.equal(written(types.SOA, 'a.example. b.a.example. 1 2 3 4 5').slice(0, 16), '0161c0000162c009')
  t.equal(written(types.SRV, '1 2 3 example.'), '000100020003076578616d706c6500')
  t.equal(written(types.DNAME, 'example.'), '076578616d706c6500')
})

t.test('compressed names are understood where RFC 3597 forbids to send them', async t => {
  const reader = new Reader(octetsOf('076578616d706c6500 0001 0002 0003 c000'))
  reader.name()
  const rdata = readRdata(reader, types.SRV, 8)
  t.equal(formatRdata(types.SRV, rdata), '1 2 3 example.')
})

t.test('what was read stays when the message is reused', async t => {
  const message = octetsOf('c0000201')
  const rdata = readRdata(new Reader(message), types.A, 4)
  const unknown = readRdata(new Reader(message), 0xff00, 4)
  message.fill(0)
  t.equal(hexOf(rdata), 'c0000201')
  t.equal(hexOf(unknown), 'c0000201')
})

t.test('an empty rdata is written as such (RFC 2136)', async t => {
  const writer = new Writer(new Uint8Array(9))
  writeRdata(writer, types.MX, new Uint8Array())
  t.equal(writer.offset, 0)
})

t.test('a record points at its target', async t => {
  const rows: readonly (readonly [number, string, string | undefined])[] = [
    [types.NS, 'ns1.Example.', 'ns1.Example.'],
    [types.CNAME, 'a.example.', 'a.example.'],
    [types.DNAME, 'a.example.', 'a.example.'],
    [types.PTR, 'a.example.', 'a.example.'],
    [types.MX, '10 mail.example.', 'mail.example.'],
    [types.MX, '0 .', '.'],
    [types.SRV, '1 2 3 sip.example.', 'sip.example.'],
    [types.SVCB, '1 svc.example. port=1', 'svc.example.'],
    [types.HTTPS, '1 . alpn=h2', '.'],
    [types.A, '192.0.2.1', undefined],
    [types.RP, 'a. b.', undefined],
  ]
  for (const [type, text, target] of rows) {
    const offset = targetOffset(type)
    const found = offset === undefined ? undefined : nameFromOctets(parseRdata(type, text), offset)
    t.equal(found === undefined ? undefined : formatName(found), target, text)
  }
})

t.test('a zone file may write several words where a value may not', async t => {
  const tokens = tokenize('a b\\\\')
  t.equal(formatRdata(types.TXT, parseRdataTokens(types.TXT, tokens)), '"a" "b\\\\"')
  t.throws(() => parseRdata(types.TXT, 'a b\\\\'), { name: 'FormatError' })
})

t.test('a value may be folded in brackets over several lines, as in a zone file', async t => {
  const plain = hexOf(parseRdata(types.TLSA, '3 1 0 0102 0304'))
  for (const text of [
    '3 1 0 (0102\n 0304)',
    '3 1 0 (\r\n\t0102\r\n\t0304 )\t',
    '3 ( 1 0\n0102 0304 )',
  ]) {
    t.equal(hexOf(parseRdata(types.TLSA, text)), plain, JSON.stringify(text))
  }
  for (const text of ['3 1 0 (01', '3 1 0 01)', '3 1 0 ((01))', '3 1 0 (01) 02', '3 1 0 01\n02']) {
    t.throws(() => parseRdata(types.TLSA, text), { name: 'FormatError' }, JSON.stringify(text))
  }
  t.equal(
    formatRdata(types.TXT, parseRdata(types.TXT, 'a (b)')),
    '"a (b)"',
    'a text has them as they are',
  )
})

t.test('a number has no more digits than its field', async t => {
  t.equal(formatRdata(types.MX, parseRdata(types.MX, '00010 a.')), '10 a.')
  for (const text of ['000010 a.', '000000 a.']) {
    t.throws(() => parseRdata(types.MX, text), { name: 'FormatError', message: /0 to 65535/ }, text)
  }
})

t.test('SSHFP names an algorithm and a fingerprint type that exist', async t => {
  const digest = 'ab'.repeat(20)
  for (const head of ['0 1', '5 1', '7 1', '1 0', '1 3']) {
    t.throws(() => parseRdata(types.SSHFP, `${head} ${digest}`), { message: /is known$/ }, head)
  }
})

t.test('a value is printed from where it lies among others', async t => {
  for (const [type, text] of [
    [types.A, '192.0.2.255'],
    [types.MX, '10 mail.example.'],
    [65_280, '\\# 2 abcd'],
  ] as const) {
    const rdata = parseRdata(type, text)
    const octets = Uint8Array.of(1, 2, ...rdata, 3)
    t.equal(formatRdataAt(type, octets, 2, 2 + rdata.length), text)
  }
  t.throws(() => formatRdataAt(types.A, Uint8Array.of(192, 0, 2), 0, 3), { name: 'FormatError' })
})
