import fc from 'fast-check'
import t from 'tap'
import {
  quoteText,
  scanToken,
  skipBlanks,
  tokenize,
  unescapeText,
} from '../../src/dns/presentation.ts'

function words(text: string): string[] {
  return tokenize(text).map(token => (token.isQuoted ? `"${token.raw}"` : token.raw))
}

t.test('blanks separate tokens, quotes keep them together', async t => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['', []],
    [' \t ', []],
    ['10 mail.example.', ['10', 'mail.example.']],
    ['  10\t mail.example.  ', ['10', 'mail.example.']],
    ['"a b" c', ['"a b"', 'c']],
    ['"" ""', ['""', '""']],
    [String.raw`"a \"b\" \\" c\ d`, [String.raw`"a \"b\" \\"`, String.raw`c\ d`]],
    ['v=DKIM1;k=rsa(1)', ['v=DKIM1;k=rsa(1)']],
    ['alpn="h2, h3" port=1', ['alpn="h2, h3"', 'port=1']],
    ['grüße', ['grüße']],
    ['"tab\tinside"', ['"tab\tinside"']],
  ]
  for (const [text, expected] of rows) t.strictSame(words(text), expected, text)
})

t.test('what would be read differently elsewhere is refused', async t => {
  const texts = [
    '"',
    '"a',
    'a"',
    'a"b"',
    '"a"b',
    '"a""b"',
    'alpn="h2',
    'alpn="h2"x',
    '"a\\"',
    'a\\',
    '\\',
    'a\nb',
    '"a\nb"',
    '"a\\\nb"',
    'a\rb',
    '\0',
    'a\x7f',
  ]
  for (const text of texts) t.throws(() => tokenize(text), { name: 'FormatError' }, text)
})

t.test('a zone file ends tokens with characters of its own', async t => {
  const text = String.raw`a\;b;comment`
  t.strictSame(scanToken(text, 0, ';()\n'), { raw: String.raw`a\;b`, isQuoted: false, end: 4 })
  t.strictSame(scanToken('"a;b")', 0, ';()\n'), { raw: 'a;b', isQuoted: true, end: 5 })
  t.strictSame(scanToken('k="v;w"\n', 0, ';()\n'), { raw: 'k="v;w"', isQuoted: false, end: 7 })
  t.strictSame(scanToken('ab\ncd', 0, '\n'), { raw: 'ab', isQuoted: false, end: 2 })
  t.equal(skipBlanks(' \t\n a', 0), 2)
})

t.test('escapes become octets', async t => {
  const rows: readonly (readonly [string, string])[] = [
    ['plain', 'plain'],
    [String.raw`a\"b\\c`, 'a"b\\c'],
    [String.raw`\000\127\255`, '\x00\x7f\xff'],
    [String.raw`\0651`, 'A1'],
    [String.raw`\a\ \;`, 'a ;'],
    ['é', '\xc3\xa9'],
    ['\\é', '\xc3\xa9'],
    ['\u{1f600}', '\xf0\x9f\x98\x80'],
    ['\ta', '\ta'],
  ]
  for (const [text, octets] of rows) t.equal(unescapeText(text), octets, text)
})

t.test('broken escapes are refused', async t => {
  for (const text of [String.raw`\256`, String.raw`\1`, String.raw`\12x`, '\\', 'a"b', '\ud800']) {
    t.throws(() => unescapeText(text), { name: 'FormatError' }, JSON.stringify(text))
  }
})

t.test('any octets survive quoting, as one printable token', async t => {
  const octets = fc.uint8Array().map(all => Buffer.from(all).toString('latin1'))
  const property = fc.property(octets, text => {
    const quoted = quoteText(text)
    const [token, ...others] = tokenize(quoted)
    return (
      /^[ -~]*$/.test(quoted) && others.length === 0 && unescapeText(token?.raw ?? '?') === text
    )
  })
  t.doesNotThrow(() => fc.assert(property))
})
