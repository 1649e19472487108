import { spawnSync } from 'node:child_process'
import t, { type Test } from 'tap'
import { formatRdata, parseRdata, typeCode } from '../../src/dns/rdata/index.ts'
import { rdataRows } from '../helpers/rdata-rows.ts'
import { hexOf, octetsOf } from '../helpers/wire.ts'

// BIND's own rdata parser, fed with our texts and with values in every spelling users write.

/** Returns the octets BIND makes of a value, as hex; undefined where it refuses. */
function bindHex(mnemonic: string, text: string): string | undefined {
  const input = `IN ${mnemonic} ${text}\n`
  const { status, stdout } = spawnSync('named-rrchecker', ['-u'], { input, encoding: 'utf8' })
  if (status !== 0) return undefined
  const words = stdout.split('\\#')[1]?.trim().split(/\s+/) ?? []
  return words.slice(1).join('').toLowerCase()
}

function ourHex(mnemonic: string, text: string): string | undefined {
  try {
    return hexOf(parseRdata(typeCode(mnemonic) as number, text))
  } catch {
    return undefined
  }
}

/** All except this server's own types. */
const commonRows = rdataRows.filter(({ type }) => type !== 'ALIAS')

t.test('BIND reads our texts as the same octets', async t => {
  for (const { type, text, hex } of commonRows) t.equal(bindHex(type, text), hex, `${type} ${text}`)
})

t.test('we read and refuse what BIND reads and refuses', async t => {
  for (const [mnemonic, ...texts] of spellings) {
    for (const text of texts) {
      const hex = bindHex(mnemonic, text)
      t.equal(ourHex(mnemonic, text), hex, `${mnemonic} ${text}`)
      if (hex === undefined) continue
      const written = formatRdata(typeCode(mnemonic) as number, octetsOf(hex))
      t.equal(bindHex(mnemonic, written), hex, `${mnemonic} ${text} written as ${written}`)
    }
  }
})

/** Returns the octets of what ldns prints of a value, as hex; undefined where it refuses. */
function ldnsHex(t: Test, mnemonic: string, text: string): string | undefined {
  const soa = 'a.example. 60 IN SOA ns. h. 1 2 3 4 5'
  const folder = t.testdir({ zone: `${soa}\nx.a.example. 60 IN ${mnemonic} ${text}\n` })
  const { stdout } = spawnSync('ldns-read-zone', [`${folder}/zone`], { encoding: 'utf8' })
  const line = stdout
    .split('\n')
    .find(one => one.startsWith('x.a.example.'))
    ?.replace(/ ;\{.*$/, '')
  return line && ourHex(mnemonic, line.split('\t').slice(4).join(' '))
}

t.test('ldns reads our texts as the same octets, of the types it knows', async t => {
  const rows = commonRows.filter(({ type }) => !unknownToLdns.has(type))
  for (const { type, text, hex } of rows) t.equal(ldnsHex(t, type, text), hex, `${type} ${text}`)
})

/** Types that ldns 1.8 has no name or no form for, and the SOA, of which a zone has one already. */
const unknownToLdns: ReadonlySet<string> = new Set([
  'SOA',
  'A6',
  'AMTRELAY',
  'ATMA',
  'AVC',
  'BRID',
  'DOA',
  'DSYNC',
  'HHIT',
  'NINFO',
  'NSAP-PTR',
  'NXT',
  'RESINFO',
  'RKEY',
  'SINK',
  'TA',
  'WALLET',
])

const spellings: readonly (readonly [mnemonic: string, ...texts: string[]])[] = [
  ['A6', '0 ::1', '64 ::1 a.', '128 a.', '65 ffff::1 a.', '129 a.', '64 ::1', '0 ::1 a.'],
  [
    'AMTRELAY',
    '10 0 0 .',
    '10 1 1 192.0.2.1',
    '10 0 2 2001:db8::1',
    '10 0 0 a.',
    '10 2 0 .',
    '0 0 4 .',
  ],
  ['APL', '1:192.0.2.0/33', '1:192.0.2.1/24', '3:00/8', '2:::/0', '!1:0.0.0.0/0', '1:192.0.2/24'],
  ['ATMA', '00.01.02', '0', '+', '+12a', '.00'],
  ['DLV', '1 8 2 aabb'],
  ['DOA', '0 1 2 "" -', '0 1 2 a AQ', '4294967296 1 2 a AQID'],
  [
    'DSYNC',
    'TYPE59 2 65535 a.',
    'CDS notify 1 a.',
    'NOPE 1 1 a.',
    'CDS 256 1 a.',
    'CDS 1 65536 a.',
  ],
  ['EID', '12 89 AB', '128'],
  ['EUI48', '00-00-5E-00-53-2A', '00005e00532a', '00-00-5e-00-53'],
  ['EUI64', '00-00-5e-ef-10-00-00-2A', '00-00-5e-ef-10-00-00'],
  ['GPOS', '1 2 3', '181 2 3', '1 91 3', 'a b c', '1 2'],
  ['HIP', '2 00ff AQID', '2 00ff AQID a. b.', '2 0 AQID', '256 00 AQID', '2 00ff'],
  [
    'IPSECKEY',
    '10 0 2 . AQID',
    '10 3 2 a. AQID',
    '10 2 2 ::1 AQID',
    '10 4 2 . AQID',
    '10 1 2 . AQID',
  ],
  ['ISDN', '1508', '1508 004 9'],
  [
    'KEY',
    '49152 3 1',
    '0 3 1',
    '256 3 RSASHA1 AQPSKmynfzW4kyBv015MUG2DeIQ3Cbl+BBZH4b/0PY1kxkmvHjc=',
  ],
  ['L32', '10 10.1.2', '65536 10.1.2.0'],
  [
    'L64',
    '10 2001:0DB8:1140:1000',
    '10 2001:db8::',
    '10 2001:0db8:1140',
    '10 2001:00db8:1140:1000',
  ],
  ['LP', '10 .', '10'],
  ['NID', '10 0:0:0:0', '10 0014:4fff:ff20:ee64:1'],
  ['NSAP', '0x47.0005.80.005a00', '47', '0x4', '0x'],
  ['NSAP-PTR', 'a.', ''],
  ['NXT', 'a. TYPE127', 'a. TYPE128', 'a.'],
  ['RESINFO', 'qnamemin exterr=15,16 "infourl=https://resolver.example/guide"'],
  ['RKEY', '0 255 1 AQID', '1 255 1 AQID'],
  ['SINK', '1 2 3 AQID', '1 2 256 AQID'],
  ['TALINK', 'a. .', 'a.'],
  ['UINFO', '\\# 1 00', 'a'],
  ['WALLET', 'EXAMPLE address'],
  ['WKS', '192.0.2.1 tcp smtp http', '192.0.2.1 17 53 65535', '192.0.2.1 17 65536', '192.0.2.1 17'],
  ['X25', '311', '31106170095a', '3110'],
  ['A', '1.2.3', '1.2.3.04', '1.2.3.256', '1.2.3.4.5'],
  ['AAAA', '::ffff:1.2.3.4', '1:2:3:4:5:6:7::', 'fe80::1%eth0', '1::2::3', ':1::', '12345::'],
  ['CAA', '0 a a a', '0 issue ca.example', '0 issue ";"', '256 issue x', '0 is-sue x'],
  ['CERT', 'PKIX 1 RSASHA256 AQID', 'PKIX 1 RSASHA256 AQ'],
  ['CSYNC', '1 3'],
  ['DNSKEY', '257 3 RSASHA256 AQPSKmynfzW4kyBv015MUG2DeIQ3Cbl+BBZH4b/0PY1kxkmvHjc='],
  ['DS', '60485 RSASHA1 1 2BB183AF5F22588179A53B0A 98631FAD1A292118', '1 8 2 aabb'],
  ['LOC', '42 N 71 W 0', '42 21 54.1234 N 71 W 0', '90 0 0.001 N 0 E 0', '42 60 0 N 0 E 0'],
  ['LOC', '1 2 3 N 4 5 6 E -100000.00m 35m 99m 0.01m', '1 2 3 N 4 5 6 E -100000.01m'],
  ['MX', '010 a.', '65536 a.', '-1 a.', '10', '\\# 4 000a0000', '\\# 3 000a00'],
  ['NSEC3', '1 1 12 aabbccdd 2t7b4g4vsa5smi47k61mv5bv1a22bojr'],
  ['RRSIG', 'TYPE65000 8 2 60 20301231235959 1000000000 12 a. AQID'],
  ['SOA', 'ns. h. 2026112101 2h 30m 1209600 1w2d3h4m5s'],
  ['SSHFP', '1 1 aabb', '1 2 123456789abcdef67890123456789abcdef67890'],
  [
    'SVCB',
    '0 . mandatory=alpn',
    '0 a. no-default-alpn',
    '1 . ohttp=',
    '1 . alpn=h2 no-default-alpn=',
  ],
  ['SVCB', '0 a. alpn=h2', '1 a. alpn="h2,h3" port=853 key7="/q{?dns}"', '1 a. no-default-alpn'],
  ['SVCB', '1 a. mandatory=alpn', '1 a. mandatory=mandatory', '1 a. key00009="x"', '1 a. port='],
  ['SVCB', '1 a. dohpath=/q', '1 a. port=1 port=2', '1 a. key3="\\003U"', '1 a. key3="x"'],
  ['SVCB', String.raw`1 a. alpn="f\\\\oo\\,bar,h2"`, String.raw`1 a. key667="hello\210qoo"`],
  ['TXT', String.raw`"a" "b c" "\200\"\\"`, '"a', `"${'x'.repeat(256)}"`],
  ['ZONEMD', '1 1 1 aabb'],
]
