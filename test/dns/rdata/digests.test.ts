import t from 'tap'
import { formatRdata, parseRdata, typeCode } from '../../../src/dns/rdata/index.ts'
import { hexOf } from '../../helpers/wire.ts'

function digits(octetCount: number): string {
  return 'ab'.repeat(octetCount)
}

t.test('a digest of a known kind has its length, one of another kind any', async t => {
  const rows: readonly (readonly [string, string, readonly number[]])[] = [
    ['DS', '1 8 1', [20]],
    ['DS', '1 8 2', [32]],
    ['DS', '1 8 4', [48]],
    ['DS', '1 8 99', [1, 7, 100]],
    ['CDS', '0 0 0', [1]],
    ['TLSA', '3 1 1', [32]],
    ['TLSA', '3 1 2', [64]],
    ['TLSA', '3 1 0', [1, 500]],
    ['SMIMEA', '3 1 1', [32]],
    ['SSHFP', '4 1', [20]],
    ['SSHFP', '4 2', [32]],
    ['SSHFP', '6 2', [32]],
    ['ZONEMD', '1 1 1', [48]],
    ['ZONEMD', '1 1 2', [64]],
    ['ZONEMD', '1 240 240', [12, 99]],
  ]
  for (const [mnemonic, head, lengths] of rows) {
    const type = typeCode(mnemonic) as number
    for (const octetCount of lengths) {
      const text = `${head} ${digits(octetCount)}`
      t.equal(formatRdata(type, parseRdata(type, text)), text, `${mnemonic} ${head}`)
    }
    const [expected = 0, other] = lengths
    if (other !== undefined || mnemonic === 'CDS') continue
    for (const octetCount of [expected - 1, expected + 1]) {
      const text = `${head} ${digits(octetCount)}`
      t.throws(() => parseRdata(type, text), { name: 'FormatError' }, `${mnemonic} ${text}`)
    }
  }
  t.throws(() => parseRdata(typeCode('ZONEMD') as number, `1 240 240 ${digits(11)}`))
})

t.test('hex may be split, and is in either case', async t => {
  const type = typeCode('TLSA') as number
  t.equal(hexOf(parseRdata(type, '3 1 0 Ab CD eF')), '030100abcdef')
  for (const text of ['3 1 0', '3 1 0 abc', '3 1 0 xx', '3 1 0 "ab', '3 1 0 ab\n']) {
    t.throws(() => parseRdata(type, text), { name: 'FormatError' }, text)
  }
})

t.test('the digest of another server with a wrong length is kept, in generic form', async t => {
  const type = typeCode('SSHFP') as number
  const octets = parseRdata(type, '\\# 4 0101abab')
  t.equal(formatRdata(type, octets), '\\# 4 0101abab')
})

t.test('the protocol of a key is 3 (RFC 4034 section 2.1.2)', async t => {
  const type = typeCode('DNSKEY') as number
  t.throws(() => parseRdata(type, '256 4 8 AQID'), { name: 'FormatError' })
  t.equal(formatRdata(type, parseRdata(type, '\\# 6 010004080102')), '\\# 6 010004080102')
})

t.test('algorithms and certificate types may be written as mnemonics', async t => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['DS', `1 rsasha256 99 ab`, '1 8 99 ab'],
    ['DNSKEY', '257 3 ED25519 AQID', '257 3 15 AQID'],
    ['CERT', 'PKIX 0 RSASHA1 AQID', '1 0 5 AQID'],
    ['CERT', 'OID 0 0 AQID', '254 0 0 AQID'],
  ]
  for (const [mnemonic, text, written] of rows) {
    const type = typeCode(mnemonic) as number
    t.equal(formatRdata(type, parseRdata(type, text)), written)
  }
  t.throws(() => parseRdata(typeCode('CERT') as number, 'PKIY 0 0 AQID'), { name: 'FormatError' })
})
