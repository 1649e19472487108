import fc from 'fast-check'
import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import { parseZoneFile, type ZoneFileRecord } from '../../../src/zone/zone-file/parse.ts'
import { PlainLine } from '../../../src/zone/zone-file/plain-line.ts'

const origin = parseName('Origin.example.')

/** The records of a file, or why there are none. */
function recordsOf(text: string): readonly ZoneFileRecord[] | string {
  try {
    return [...parseZoneFile(text, { origin })]
  } catch (error) {
    return (error as Error).message
  }
}

const word = fc.constantFrom(
  ...[
    'www',
    'a.b',
    'x.',
    'x..',
    '@',
    '*',
    '-',
    'IN',
    'in',
    'CH',
    '60',
    '1h',
    '99999999999',
    'A',
    'a',
    'AAAA',
  ],
  ...[
    'NS',
    'CNAME',
    'PTR',
    'TXT',
    'TYPE1',
    'MX',
    '192.0.2.1',
    '192.0.2.01',
    '2001:db8::1',
    '::',
    'ns',
    'ns.x.',
  ],
  ...[
    '$TTL',
    '$x',
    'a$b',
    '\\046',
    'a\\.b',
    `${'l'.repeat(64)}`,
    `${'l.'.repeat(126)}`,
    'ü',
    '#',
    '\\#',
  ],
)
const gap = fc.constantFrom(' ', '\t', '  ', ' \t ')
const line = fc
  .tuple(
    fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', ' ', '\r', ' ; c'),
  )
  .map(([words, end]) => words.map(([text, blank]) => text + blank).join('') + end)
const file = fc.array(line, { minLength: 1, maxLength: 4 })

t.test('a plain line is read as any other is', async t => {
  fc.assert(
    fc.property(file, lines => {
      const plain = recordsOf(`${lines.join('\n')}\n`)
      // Nothing changes in parentheses, but that the line is not plain.
      const folded = recordsOf(`${lines.map(foldedLine).join('\n')}\n`)
      t.strictSame(plain, folded, lines.join('\n'))
    }),
    { numRuns: 3000 },
  )
})

/** With an empty pair of parentheses behind its first word. */
function foldedLine(text: string): string {
  return text.replace(/^[^ \t]+/, first => `${first} ( ) `)
}

t.test('what is quoted, escaped, commented or of another owner is no plain line', async t => {
  const plain = new PlainLine()
  const text = 'www 60 IN A 192.0.2.1\r\n'
  t.equal(plain.read(text, 0), text.length)
  t.same(
    [0, 1, 2, 3, 4].map(i => plain.word(i)),
    ['www', '60', 'IN', 'A', '192.0.2.1'],
  )
  t.equal(plain.wordCount, 5)
  t.ok(plain.startsWithDigit(1))
  for (const other of [
    ...[
      ' A 192.0.2.1\n',
      'a TXT "x"\n',
      'a\\.b A 192.0.2.1\n',
      'a A 192.0.2.1 ; x\n',
      'a ( A 192.0.2.1 )\n',
    ],
    ...[
      '$TTL 1\n',
      '@ A 192.0.2.1\n',
      'a 1 IN SRV 1 2 3 b\n',
      '\n',
      'a A 192.0.2.1',
      'a\rb A 192.0.2.1\n',
      'ü A 1\n',
    ],
  ])
    t.equal(plain.read(other, 0), -1, JSON.stringify(other))
})
