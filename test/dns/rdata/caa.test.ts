import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatRdata, parseRdata } from '../../../src/dns/rdata/index.ts'

t.test('a value may be written with or without quotes, and is given back in quotes', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['0 issue "ca.example"', '0 issue "ca.example"'],
    ['0 issue ca.example', '0 issue "ca.example"'],
    ['0 issue ca.example; policy=ev', '0 issue "ca.example; policy=ev"'],
    ['0 issue ";"', '0 issue ";"'],
    ['0 issue ;', '0 issue ";"'],
    ['0 issue ""', '0 issue ""'],
    ['128 iodef "mailto:a@example.com"', '128 iodef "mailto:a@example.com"'],
    [String.raw`0 issue "a\"b"`, String.raw`0 issue "a\"b"`],
    ['255 Tag09 x', '255 Tag09 "x"'],
  ]
  for (const [text, written] of rows) {
    t.equal(formatRdata(types.CAA, parseRdata(types.CAA, text)), written, text)
  }
})

t.test('flags are eight bits, tags letters and digits, a quoted value is alone', async t => {
  for (const text of [
    '256 issue "x"',
    '0 is-sue "x"',
    '0 "issue" "x"',
    '0 issue',
    '0 issue "x" "y"',
    '0 issue x "y"',
    '0 a a a',
    '0 issue ca.example policy=ev',
    '0 issue "a;" b',
    `0 ${'a'.repeat(256)} "x"`,
  ]) {
    t.throws(() => parseRdata(types.CAA, text), { name: 'FormatError' }, text)
  }
})
