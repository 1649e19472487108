import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { formatName, parseName } from '../../src/dns/name.ts'
import { formatRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import { parseZoneFile } from '../../src/zone/zone-file/parse.ts'
import { printZoneFile } from '../../src/zone/zone-file/print.ts'

// Master files as people write them, read by us and by BIND's compiler, which writes them out plainly.

const apex = 'example.'
const head = `@ 60 SOA ns host 1 1h 15m 2w 1d\n@ 60 NS ns\nns 60 A 192.0.2.1\n`
const quiet = [
  '-i',
  'none',
  ...['-k', '-n', '-m', '-r', '-M', '-S', '-T'].flatMap(o => [o, 'ignore']),
]

/** Returns the file as BIND writes it; undefined where it refuses it. */
function compiledByBind(directory: string, text: string): string | undefined {
  const [input, output] = [join(directory, 'in'), join(directory, 'out')]
  writeFileSync(input, text)
  const options = [...quiet, '-F', 'text', '-s', 'full', '-o', output, apex, input]
  const { status } = spawnSync('named-compilezone', options)
  return status === 0 ? readFileSync(output, 'utf8') : undefined
}

function records(text: string): string[] {
  const lines = Array.from(parseZoneFile(text, { origin: parseName(apex) }), record => {
    const { owner, ttlSeconds, type, rdata } = record
    return `${formatName(owner)} ${ttlSeconds} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`
  })
  return lines.sort()
}

/** The file as we print it again. */
function printed(text: string): string {
  const origin = parseName(apex)
  const rrsets = Array.from(
    parseZoneFile(text, { origin }),
    ({ rdata, ttlSeconds, ...record }) => ({
      ...record,
      ttlSeconds: ttlSeconds ?? 0,
      rdatas: [rdata],
    }),
  )
  return [...printZoneFile(origin, { defaultTtlSeconds: 7, rrsets })].join('')
}

const label63 = 'x'.repeat(63)

const files = [
  'a 300 A 192.0.2.1\n  A 192.0.2.2\n\n\tAAAA ::1\n',
  'a (\n 300 ; one )\n IN ; ( two\n A ) 192.0.2.1\n',
  'a TXT ( "x"\n"y" ; comment "z\n )\nb TXT (a)(b)\n( c A 192.0.2.1 )\n  ( A 192.0.2.2\n )\n',
  'a IN 300 A 192.0.2.1\nb 300 IN A 192.0.2.1\nc A 192.0.2.1\nd in 1h A 192.0.2.1\n',
  'a CLASS1 9 A 192.0.2.1\nb 9 class1 TYPE1 \\# 4 01020304\n',
  '$TTL 1h30m\na A 192.0.2.1\n$TTL 5\nb A 192.0.2.1\nc 7 A 192.0.2.1\nd A 192.0.2.1\n',
  '$TTL 2W\na 1d2h3m4s A 192.0.2.1\nb 1w2d A 192.0.2.1\nc 2147483647 A 192.0.2.1\n',
  'a A 192.0.2.1\r\nb A 192.0.2.1   \t \r\n\r\n\t; comment\r\nc A 192.0.2.1',
  'a TXT "a\\"b" "c\\\\d" "e\\059f" "g;h" i\\;j k\\ l a\\010b "\\255\\000" ""\nb TXT x;y\n',
  'a\\.b A 192.0.2.1\na\\032b A 192.0.2.1\na\\ b.c A 192.0.2.2\n\\@ A 192.0.2.1\n\\$x A 192.0.2.1\n',
  'a\\"b A 192.0.2.1\n\\( A 192.0.2.1\na\\000b A 192.0.2.1\n\\255 A 192.0.2.1\n"q" A 192.0.2.1\n',
  'a TYPE65280 \\# 3 010203\na TYPE65281 \\# 0\na TYPE65282 \\# 4 ( 01 02\n 0304 )\na A \\# 4 01020304\n',
  '$ORIGIN sub ; comment\na A 192.0.2.1\n$ORIGIN x.sub.example.\n@ A 192.0.2.1\nb CNAME @\nc MX 1 .\n',
  '$ORIGIN .\nb.example A 192.0.2.1\n$origin EXAMPLE.\nC A 192.0.2.1\n',
  'IN A 192.0.2.1\nA A 192.0.2.1\nTXT TXT TXT\n300 A 192.0.2.1\n*.w A 192.0.2.1\na.*.w TXT x\n',
  `${label63}.${label63}.${label63}.${'y'.repeat(53)} TXT x\na MX 1 ${label63}.y\n`,
  `a TXT ${Array(255)
    .fill(`"${'x'.repeat(255)}"`)
    .join(' ')}\n`,
  '$GENERATE 1-3 h$ A 192.0.2.$\n$GENERATE 1-5/2 i$ 300 IN TXT a$\n$GENERATE 1-2 @ IN 3 TXT b$\n',
  '$GENERATE 1-2 h$ MX "10 mx$"\n$GENERATE 1-2 h$ SRV "0 0 80 t$"\n$GENERATE 0-1 i$ TXT "foo $"\n',
  '$GENERATE 1-2 h$ TXT "\\"foo $\\" bar"\n$GENERATE 1-1 h$$ A 192.0.2.$\n$GENERATE 1-2 i\\$x TXT a$\n',
  '$GENERATE 1-2 h${0,3,d} A 192.0.2.$\n$GENERATE 9-11 i${-1,3,x} CNAME x${10,3}.y\n',
  '$GENERATE 10-12 ${0,3,n} PTR h$\n$GENERATE 10-12 ${0,4,n}x PTR h$\n$GENERATE 250-260 ${0,0,N}.y PTR h$\n',
]

const brokenFiles = [
  'a TXT "multi\nline"\n',
  'a TXT a"b\n',
  'a A 192.0.2.1\n)\n',
  'a A ( 192.0.2.1\n',
  'a IN IN A 192.0.2.1\n',
  'a 1 2 A 192.0.2.1\n',
  'a 300\n',
  'a A 192.0.2.1 5\n',
  'a CLASS3 A 192.0.2.1\n',
  'a\\256 A 192.0.2.1\n',
  'a\\1 A 192.0.2.1\n',
  'a..b A 192.0.2.1\n',
  `a MX 1 x${label63}.y\n`,
  `${label63}.${label63}.${label63}.${'y'.repeat(54)} TXT x\n`,
  `a TXT "${'x'.repeat(256)}"\n`,
  'a TXT\n',
  ' $TTL 5\n',
  '$UNKNOWN x\n',
  '$GENERATE 5-1 h$ A 192.0.2.$\n',
  'a A 192.0.2.1\n\f\n',
]

t.test('BIND and we read the same of a file, and of what we print of it', async t => {
  const directory = t.testdir()
  for (const lines of files) {
    const text = head + lines
    const compiled = compiledByBind(directory, text)
    if (compiled === undefined) {
      t.fail(`BIND refuses ${lines}`)
      continue
    }
    t.same(records(text), records(compiled), lines)
    t.same(records(compiledByBind(directory, printed(text)) ?? ''), records(text), lines)
  }
})

t.test('we refuse what BIND refuses', async t => {
  const directory = t.testdir()
  for (const lines of brokenFiles) {
    t.equal(compiledByBind(directory, head + lines), undefined, lines)
    t.throws(() => records(head + lines), { name: 'ZoneFileError' }, lines)
  }
})
