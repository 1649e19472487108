import fc from 'fast-check'
import t from 'tap'
import {
  formatName,
  isAtOrBelow,
  isPlainName,
  isWildcard,
  labelsOf,
  lowerCaseName,
  type Name,
  nameFromLabels,
  nameFromOctets,
  parentName,
  parseName,
  rootName,
} from '../../src/dns/name.ts'
import { nameArbitrary } from '../helpers/rdata-arbitraries.ts'

const label63 = 'a'.repeat(63)
/** Three labels of 63 and one of 61: 3 * 64 + 62 + 1 octets. */
const longestName = `${label63}.${label63}.${label63}.${'b'.repeat(61)}.`

t.test('the root is a dot, and its own parent', async t => {
  t.equal(parseName('.'), rootName)
  t.equal(formatName(rootName), '.')
  t.equal(parentName(rootName), rootName)
  t.same(labelsOf(rootName), [])
})

t.test('presentation form becomes length octets and labels, case kept', async t => {
  t.equal(parseName('Www.example.'), '\x03Www\x07example\0')
  t.equal(formatName(parseName('Www.example.')), 'Www.example.')
})

t.test('escapes (RFC 1035 section 5.1)', async t => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['a dot inside a label', String.raw`a\.b.example.`, '\x03a.b\x07example\0'],
    ['an octet by its number', String.raw`a\000\255.`, '\x03a\x00\xff\0'],
    ['a backslash', String.raw`a\\b.`, '\x03a\\b\0'],
    ['a blank', String.raw`a\032b.`, '\x03a b\0'],
    ['what a zone file gives a meaning', String.raw`\"\;\(\)\@\$.`, '\x06";()@$\0'],
  ]
  for (const [what, text, octets] of rows) {
    t.equal(parseName(text), octets, what)
    t.equal(formatName(octets as Name), text, what)
  }
})

t.test('a blank may also be escaped by itself', async t => {
  t.equal(parseName(String.raw`a\ b.`), parseName(String.raw`a\032b.`))
})

t.test('a relative name is completed with the origin, and refused without one', async t => {
  const origin = parseName('example.')
  t.equal(parseName('www', origin), parseName('www.example.'))
  t.equal(parseName('www.', origin), parseName('www.'))
  t.equal(parseName('@', origin), origin)
  t.equal(parseName(String.raw`\@`, origin), parseName(String.raw`\@.example.`))
  t.throws(() => parseName('www'), { name: 'FormatError' })
  t.throws(() => parseName('@'), { name: 'FormatError' })
})

t.test('a label has at most 63 octets, a name at most 255', async t => {
  t.equal(parseName(`${label63}.`).length, 65)
  t.throws(() => parseName(`${label63}a.`), { name: 'FormatError' })
  t.equal(parseName(longestName).length, 255)
  t.throws(() => parseName(`${longestName.slice(0, -1)}b.`), { name: 'FormatError' })
  t.throws(() => parseName(`a.${longestName}`), { name: 'FormatError' })
})

t.test('the limits count octets, not the characters of escapes', async t => {
  const escaped = String.raw`\097`.repeat(63)
  t.equal(parseName(`${escaped}.`), parseName(`${label63}.`))
  t.throws(() => parseName(`${escaped}a.`), { name: 'FormatError' })
})

t.test('what is no name is refused', async t => {
  const texts = ['', '..', '.a.', 'a..b.', 'a b.', 'a\n.', 'ä.', String.raw`a\256.`, 'a\\', 'a.\\']
  for (const text of [...texts, String.raw`a\1.`, String.raw`a\25x.`, '\\\n.', `a${'\x7f'}.`]) {
    t.throws(() => parseName(text), { name: 'FormatError' }, JSON.stringify(text))
  }
})

t.test('a name of another script is refused with the form it is written in', async t => {
  t.throws(() => parseName('ä.'), { message: /written as xn--/ })
})

t.test('a plain name is absolute, legal and without escapes', async t => {
  for (const text of ['a.', '*.example.', '_25._tcp.example.', longestName]) {
    t.ok(isPlainName(text), text)
  }
  for (const text of ['', '.', 'a', 'a..', '\\046.', `${label63}a.`, `a.${longestName}`, 'a .']) {
    t.notOk(isPlainName(text), text)
  }
})

t.test('any name survives its presentation form, and is printable in it', async t => {
  const property = fc.property(nameArbitrary, name => {
    const text = formatName(name)
    return parseName(text) === name && /^[!-~]+$/.test(text)
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('labels and parents agree', async t => {
  const property = fc.property(nameArbitrary, name => {
    const labels = labelsOf(name)
    return (
      nameFromLabels(labels) === name &&
      nameFromLabels(labels.slice(1)) === parentName(name) &&
      nameFromOctets(Buffer.from(`xx${name}yy`, 'latin1'), 2) === name
    )
  })
  t.doesNotThrow(() => fc.assert(property))
})

t.test('an empty label cannot be built', async t => {
  t.throws(() => nameFromLabels(['a', '']), { name: 'FormatError' })
})

t.test('a name is below another only where a label begins', async t => {
  const zone = parseName('example.')
  t.ok(isAtOrBelow(zone, zone))
  t.ok(isAtOrBelow(parseName('www.example.'), zone))
  t.ok(isAtOrBelow(zone, rootName))
  t.notOk(isAtOrBelow(zone, parseName('www.example.')))
  t.notOk(isAtOrBelow(parseName('anexample.'), zone))
  // The label's own octets end in what looks like the zone.
  t.notOk(isAtOrBelow(parseName(String.raw`www\007example.`), zone))
})

t.test('lower case is for ASCII letters alone (RFC 4343)', async t => {
  t.equal(lowerCaseName(parseName('WWW.ExAmPlE.')), parseName('www.example.'))
  const upperOctets = parseName(String.raw`\196\214[.`)
  t.equal(lowerCaseName(upperOctets), upperOctets)
  const mixed = parseName(String.raw`A\196B.C\214.`)
  t.equal(lowerCaseName(mixed), parseName(String.raw`a\196b.c\214.`))
  // 65 to 90 octets would look like letters, were labels longer than 63.
  const lengths = nameFromLabels([label63.toUpperCase()])
  t.equal(lowerCaseName(lengths), nameFromLabels([label63]))
})

t.test('a wildcard is a lone asterisk as leftmost label (RFC 4592 section 2.1.1)', async t => {
  t.ok(isWildcard(parseName('*.example.')))
  t.notOk(isWildcard(parseName('**.example.')))
  t.notOk(isWildcard(parseName('a.*.example.')))
})
