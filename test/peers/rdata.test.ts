import { spawnSync } from 'node:child_process'
import t from 'tap'
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

t.test('BIND reads our texts as the same octets', async t => {
  for (const { type, text, hex } of rdataRows) t.equal(bindHex(type, text), hex, `${type} ${text}`)
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

const spellings: readonly (readonly [mnemonic: string, ...texts: string[]])[] = [
  ['A', '1.2.3', '1.2.3.04', '1.2.3.256', '1.2.3.4.5'],
  ['AAAA', '::ffff:1.2.3.4', '1:2:3:4:5:6:7::', 'fe80::1%eth0', '1::2::3', ':1::', '12345::'],
  ['CAA', '0 issue ca.example', '0 issue ";"', '256 issue x', '0 is-sue x'],
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
  ['SVCB', '0 a. alpn=h2', '1 a. alpn="h2,h3" port=853 key7="/q{?dns}"', '1 a. no-default-alpn'],
  ['SVCB', '1 a. mandatory=alpn', '1 a. mandatory=mandatory', '1 a. key00009="x"', '1 a. port='],
  ['SVCB', '1 a. dohpath=/q', '1 a. port=1 port=2', '1 a. key3="\\003U"', '1 a. key3="x"'],
  ['SVCB', String.raw`1 a. alpn="f\\\\oo\\,bar,h2"`, String.raw`1 a. key667="hello\210qoo"`],
  ['TXT', String.raw`"a" "b c" "\200\"\\"`, '"a', `"${'x'.repeat(256)}"`],
  ['ZONEMD', '1 1 1 aabb'],
]
