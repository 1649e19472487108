import t from 'tap'
import { formatBase32hex, parseBase32hex } from '../../../../src/dns/rdata/fields/base32hex.ts'
import { parseBase64 } from '../../../../src/dns/rdata/fields/base64.ts'
import { parseSeconds } from '../../../../src/dns/rdata/fields/seconds.ts'
import { formatTimestamp, parseTimestamp } from '../../../../src/dns/rdata/fields/timestamp.ts'
import { hexOf } from '../../../helpers/wire.ts'

t.test('base32hex: the test vectors of RFC 4648 section 10, without padding', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['', ''],
    ['f', 'co'],
    ['fo', 'cpng'],
    ['foo', 'cpnmu'],
    ['foob', 'cpnmuog'],
    ['fooba', 'cpnmuoj1'],
    ['foobar', 'cpnmuoj1e8'],
  ]
  for (const [plain, encoded] of rows) {
    t.equal(formatBase32hex(Buffer.from(plain)), encoded)
    t.equal(Buffer.from(parseBase32hex(encoded.toUpperCase()) ?? 'none').toString(), plain)
  }
  for (const text of ['c', 'cow=', 'cpn', 'w0', 'c o', 'cpnmuo']) {
    t.equal(parseBase32hex(text), undefined, text)
  }
})

t.test('base64: whole groups, and nothing Buffer would skip', async t => {
  t.equal(hexOf(parseBase64('AQID') ?? new Uint8Array()), '010203')
  t.equal(hexOf(parseBase64('+/8=') ?? new Uint8Array()), 'fbff')
  t.equal(hexOf(parseBase64('AA==') ?? new Uint8Array()), '00')
  for (const text of ['A', 'AQ', 'AQI', 'AQ=', 'AQID=', 'AQ-_', 'A QID', 'AQ==AQ==', '====', '=']) {
    t.equal(parseBase64(text), undefined, text)
  }
})

t.test('seconds may have units, each once, largest first', async t => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['0', 0],
    ['3600', 3600],
    ['1h', 3600],
    ['1w2D3h4M5s', 788_645],
    ['4294967295', 0xffff_ffff],
    ['4294967296', undefined],
    ['9999w', undefined],
    ['', undefined],
    ['h', undefined],
    ['1h1h', undefined],
    ['1m1h', undefined],
    ['1h30', undefined],
    ['-1', undefined],
    ['1.5h', undefined],
  ]
  for (const [text, value] of rows) t.equal(parseSeconds(text), value, text)
})

t.test('a timestamp is a moment of the calendar, or Unix seconds', async t => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['19700101000000', 0],
    ['20300101000000', Date.UTC(2030, 0, 1) / 1000],
    ['21060207062815', 0xffff_ffff],
    ['1000000000', 1_000_000_000],
    ['21060207062816', undefined],
    ['20300231000000', undefined],
    ['20300101240000', undefined],
    ['20300101006000', undefined],
    ['20301301000000', undefined],
    ['19691231235959', undefined],
    ['4294967296', undefined],
    ['2030010100000', undefined],
    ['', undefined],
  ]
  for (const [text, value] of rows) t.equal(parseTimestamp(text), value, text)
  t.equal(formatTimestamp(0xffff_ffff), '21060207062815')
})
