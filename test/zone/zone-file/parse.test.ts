import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../../src/dns/rdata/index.ts'
import { parseZoneFile } from '../../../src/zone/zone-file/parse.ts'
import type { ZoneFileError } from '../../../src/zone/zone-file/zone-file-error.ts'

/** The records as text, one a line, with the line they come from. */
function read(text: string, origin?: string): string[] {
  const options = origin === undefined ? {} : { origin: parseName(origin) }
  return [...parseZoneFile(text, options)].map(
    ({ line, owner, ttlSeconds, type, rdata }) =>
      `${line}: ${formatName(owner)} ${ttlSeconds ?? '-'} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`,
  )
}

const rows: readonly [rule: string, text: string, records: readonly string[]][] = [
  [
    'relative names are completed with $ORIGIN, @ is the origin itself',
    '$ORIGIN example.com.\n@ 60 NS ns\nwww A 192.0.2.1\n',
    ['2: example.com. 60 NS ns.example.com.', '3: www.example.com. 60 A 192.0.2.1'],
  ],
  [
    '$ORIGIN may be relative to the one before',
    '$ORIGIN example.com.\n$ORIGIN sub\na A 192.0.2.1\n',
    ['3: a.sub.example.com. - A 192.0.2.1'],
  ],
  [
    'an entry that begins with a blank has the owner before it',
    '$ORIGIN example.com.\na A 192.0.2.1\n  A 192.0.2.2\n\tTXT x\n',
    [
      '2: a.example.com. - A 192.0.2.1',
      '3: a.example.com. - A 192.0.2.2',
      '4: a.example.com. - TXT "x"',
    ],
  ],
  [
    'TTL and class come in either order, or not at all',
    'a.example. 60 IN A 192.0.2.1\na.example. IN 61 A 192.0.2.2\na.example. in A 192.0.2.3\na.example. A 192.0.2.4\n',
    [
      '1: a.example. 60 A 192.0.2.1',
      '2: a.example. 61 A 192.0.2.2',
      '3: a.example. 61 A 192.0.2.3',
      '4: a.example. 61 A 192.0.2.4',
    ],
  ],
  [
    '$TTL wins over the TTL of the record before (RFC 2308 section 4), and has units',
    '$TTL 1h30m\na.example. 60 A 192.0.2.1\nb.example. A 192.0.2.2\n$TTL 2d\nc.example. A 192.0.2.3\n',
    [
      '2: a.example. 60 A 192.0.2.1',
      '3: b.example. 5400 A 192.0.2.2',
      '5: c.example. 172800 A 192.0.2.3',
    ],
  ],
  [
    'parentheses join lines, and comments end at theirs',
    '$ORIGIN example.com.\n@ 60 SOA ns ops ( ; first\n  1 ; serial\n  1h\n  600 1d 300 ) ; last\nnext A 192.0.2.1\n',
    [
      '2: example.com. 60 SOA ns.example.com. ops.example.com. 1 3600 600 86400 300',
      '6: next.example.com. 60 A 192.0.2.1',
    ],
  ],
  [
    'quoted strings keep semicolons, parentheses and escapes',
    'a.example. 1 TXT "a;b" "(c)" "d\\"e" f\n',
    ['1: a.example. 1 TXT "a;b" "(c)" "d\\"e" "f"'],
  ],
  [
    'unknown types have a form',
    'a.example. 1 TYPE65280 \\# 2 ABCD\n',
    ['1: a.example. 1 TYPE65280 \\# 2 abcd'],
  ],
  [
    'line ends may be CR LF, and the last may be missing',
    'a.example. 1 A 192.0.2.1\r\nb.example. 1 A 192.0.2.2',
    ['1: a.example. 1 A 192.0.2.1', '2: b.example. 1 A 192.0.2.2'],
  ],
  [
    'a name that looks like a type or class is an owner',
    'a.example. 1 A 192.0.2.1\nin.example. 1 A 192.0.2.2\n',
    ['1: a.example. 1 A 192.0.2.1', '2: in.example. 1 A 192.0.2.2'],
  ],
  [
    '$GENERATE writes a series',
    '$ORIGIN example.com.\n$GENERATE 1-5/2 host-${0,3} 60 A 192.0.2.$\n',
    [
      '2: host-001.example.com. 60 A 192.0.2.1',
      '2: host-003.example.com. 60 A 192.0.2.3',
      '2: host-005.example.com. 60 A 192.0.2.5',
    ],
  ],
  [
    '$GENERATE takes its data in one word, so several are quoted together',
    '$ORIGIN example.com.\n$GENERATE 1-2 @ 60 MX "10 mx$"\n$GENERATE 3-3 a 60 TXT "\\"b $\\" c"\n',
    [
      '2: example.com. 60 MX 10 mx1.example.com.',
      '2: example.com. 60 MX 10 mx2.example.com.',
      '3: a.example.com. 60 TXT "b 3" "c"',
    ],
  ],
  [
    'a dollar in a name is escaped, in $GENERATE too',
    '$ORIGIN example.com.\n\\$a 60 MX 1 b\\$\n$GENERATE 1-1 $$-$ 60 TXT \\$$\n',
    ['2: \\$a.example.com. 60 MX 1 b\\$.example.com.', '3: \\$-1.example.com. 60 TXT "$1"'],
  ],
  [
    '$GENERATE leaves other quotes as they are',
    '$ORIGIN example.com.\n$GENERATE 1-1 a 60 CAA 0 issue "ca$.example; a b"\n',
    ['2: a.example.com. 60 CAA 0 issue "ca1.example; a b"'],
  ],
  [
    'a class may be given by its number (RFC 3597 section 5)',
    'a.example. 60 CLASS1 TYPE1 \\# 4 c0000201\nb.example. class1 60 A 192.0.2.2\n',
    ['1: a.example. 60 A 192.0.2.1', '2: b.example. 60 A 192.0.2.2'],
  ],
  ['an empty file and one of comments have no records', '; nothing\n\n   \n', []],
]

t.test('records', async t => {
  for (const [rule, text, records] of rows) t.same(read(text), records, rule)
})

t.test('an origin may be given from outside', async t => {
  t.same(read('www 1 A 192.0.2.1\n', 'example.com.'), ['1: www.example.com. 1 A 192.0.2.1'])
})

const refused: readonly [rule: string, text: string, line: number, message: RegExp][] = [
  ['a relative name without an origin', 'www A 192.0.2.1\n', 1, /absolute/],
  ['no owner at all', '  A 192.0.2.1\n', 1, /no owner/],
  ['no type', '$ORIGIN example.\n\nwww 60 IN\n', 3, /type is missing/],
  ['no such type', 'a.example. 1 NONSENSE x\n', 1, /'NONSENSE' is not a record type/],
  ['a wrong value', '; comment\na.example. 1 A 192.0.2.256\n', 2, /192\.0\.2\.256/],
  ['another class', 'a.example. CH TXT x\n', 1, /class CH/],
  ['another class by its number', 'a.example. CLASS3 TXT x\n', 1, /class CLASS3/],
  ['two classes', 'a.example. IN IN TXT x\n', 1, /'IN' is not a record type/],
  ['a parenthesis left open', 'a.example. 1 TXT ( "x"\n\n', 1, /'\)' is missing/],
  ['a parenthesis within one', 'a.example. 1 TXT ( ( x ) )\n', 1, /unexpected '\('/],
  ['a parenthesis that closes nothing', 'a.example. 1 TXT x )\n', 1, /unexpected '\)'/],
  [
    'a quote left open',
    'a.example. 1 A 192.0.2.1\nb.example. 1 TXT "x\n',
    2,
    /a closing quote is missing/,
  ],
  ['$INCLUDE', '$INCLUDE /etc/passwd\n', 1, /\$INCLUDE is not allowed/],
  ['an unknown directive', '$NONSENSE 1\n', 1, /\$NONSENSE is not known/],
  ['$TTL without one', '$TTL\n', 1, /\$TTL needs/],
  ['$TTL that is none', '$TTL soon\n', 1, /not 'soon'/],
  ['a bare dollar in a value', '$ORIGIN example.\n@ 1 MX 1 $\n', 2, /dollar .* written \\\$/],
  [
    'a bare dollar in an owner',
    '$ORIGIN example.\na$ 1 A 192.0.2.1\n',
    2,
    /dollar .* written \\\$/,
  ],
  ['a range that is none', '$GENERATE 5-1 a$.example. A 192.0.2.$\n', 1, /needs a range/],
  ['too long a range', '$GENERATE 0-99999999 a$.example. A 192.0.2.1\n', 1, /at most 65536/],
  [
    'a series that would fill the memory',
    `$TTL 1\n$GENERATE 0-65535 a$.example. TXT ${Array(200).fill('${0,250}').join(' ')}\n`,
    2,
    /more than 67108864 characters/,
  ],
  ['a template beyond reason', `$GENERATE 1-1 a. TXT ${'x '.repeat(10_001)}\n`, 1, /at most 10000/],
  ['a modifier that is none', '$GENERATE 1-2 a${x}.example. A 192.0.2.$\n', 1, /offset,width,base/],
]

t.test('what cannot be read is refused with its line', async t => {
  for (const [rule, text, line, message] of refused) {
    try {
      read(text)
      t.fail(rule)
    } catch (error) {
      t.match(error, { name: 'ZoneFileError', line }, rule)
      t.match((error as ZoneFileError).message, message, rule)
    }
  }
})
