import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { formatRdata, parseRdata } from '../../../src/dns/rdata/index.ts'
import { hexOf } from '../../helpers/wire.ts'

t.test('a text may be quoted, without quotes as a whole, or several quoted strings', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['"any old text"', '0c616e79206f6c642074657874'],
    ['word', '04776f7264'],
    ['any old text', '0c616e79206f6c642074657874'],
    ['  any old text ', '0c616e79206f6c642074657874'],
    ['v=spf1 +all', '0b763d73706631202b616c6c'],
    ['a  b', '0461202062'],
    [String.raw`a\032b \"c\"`, '07612062202263 22'.replace(' ', '')],
    ['v=DKIM1;k=rsa;p=MIGf+/=', '17763d444b494d313b6b3d7273613b703d4d4947662b2f3d'],
    ['"a" "b c"', '01610362 2063'.replace(' ', '')],
    ['""', '00'],
    [String.raw`"\ "`, '0120'],
    [String.raw`"\    "`, '0420202020'],
    [String.raw`"say \"hi\""`, '0873617920226869 22'.replace(' ', '')],
    [String.raw`"\\"`, '015c'],
    ['"é"', '02c3a9'],
    ['  "a"  ', '0161'],
    ['"a\tb"', '03610962'],
  ]
  for (const [text, hex] of rows) {
    t.equal(hexOf(parseRdata(types.TXT, text)), hex, text)
    t.equal(hexOf(parseRdata(types.SPF, text)), hex, `SPF ${text}`)
  }
})

t.test('what would change or break a record is refused', async t => {
  const rows: readonly (readonly [string, string, RegExp])[] = [
    ['a word beside a string', '"a" b', /must be quoted too: 'b'/],
    ['a string beside a word', 'a "b"', /must be quoted too: 'a'/],
    ['a quote within a text', 'a b="c d"', /quote must be escaped/],
    ['a backslash after a text with blanks', 'any old text\\', /backslash/],
    ['more than a string holds', 'x '.repeat(129), /split/],
    ['a missing closing quote', '"foo', /closing quote/],
    ['a missing opening quote', 'foo"', /quote/],
    ['an inner quote', '"foo"bar"', /inner quote/],
    ['strings without a blank between', '"a""b"', /blank expected/],
    ['a literal line end in quotes', '"foo\nbar"', /\\010/],
    ['a literal line end after the value', '"foo"\n', /blank expected|\\010/],
    ['a line end without quotes', 'foo\nbar', /\\010/],
    ['a backslash alone', '\\', /backslash/],
    ['a backslash at the end', 'testtext\\', /backslash/],
    ['an escaped backslash at the end, unquoted', '\\\\', /backslash/],
    ['a backslash that takes the quote', '"v=spf1 +all\\"', /closing quote/],
    ['nothing', '', /found nothing/],
    ['half a surrogate pair', '"\ud800"', /surrogate/],
  ]
  for (const [what, text, message] of rows) {
    t.throws(() => parseRdata(types.TXT, text), { name: 'FormatError', message }, what)
  }
})

t.test(
  'a string has at most 255 octets, and longer text is split by whoever writes it',
  async t => {
    const longest = `"${'x'.repeat(255)}"`
    t.equal(parseRdata(types.TXT, longest).length, 256)
    t.equal(parseRdata(types.TXT, `${longest} ${longest}`).length, 512)
    const split = { name: 'FormatError', message: /256 octets.*split.*"…" "…"/ }
    t.throws(() => parseRdata(types.TXT, `"${'x'.repeat(256)}"`), split)
    t.throws(() => parseRdata(types.TXT, 'x'.repeat(256)), split)
    t.throws(() => parseRdata(types.TXT, `"${'é'.repeat(128)}"`), split, 'octets are counted')
    t.equal(parseRdata(types.TXT, `"${'\\255'.repeat(255)}"`).length, 256, 'escapes are one octet')
  },
)

t.test('an rdata has at most 65,535 octets', async t => {
  const string = `"${'x'.repeat(255)}"`
  const fitting = `${`${string} `.repeat(255)}"${'x'.repeat(254)}"`
  t.equal(parseRdata(types.TXT, fitting).length, 0xffff)
  t.throws(() => parseRdata(types.TXT, `${fitting} ""`), { name: 'FormatError' })
  t.equal(parseRdata(types.TXT, '"a"').length, 2, 'and the next one starts afresh')
})

t.test('a text is always written in quotes', async t => {
  t.equal(formatRdata(types.TXT, parseRdata(types.TXT, 'word;x')), '"word;x"')
})
