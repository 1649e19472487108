import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { Appliance, type Endpoint } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// A new user's first steps: record sets created over HTTP, queried with dig, kdig and nslookup.

const run = promisify(execFile)

/** Values as they are posted, which is how dig prints them; the last column is what kdig prints where it has a
 *  way of its own. */
const rows: readonly [type: string, name: string, value: string, kdig?: string][] = [
  ['A', 'a', '192.0.2.1'],
  ['AAAA', 'aaaa', '2001:db8::1'],
  ['NS', 'delegated', 'ns.example.net.'],
  ['CNAME', 'alias', 'target.example.net.'],
  ['PTR', '4.3', 'host.example.net.'],
  ['MX', 'mx', '10 mail.example.net.'],
  ['TXT', 'txt', '"v=spf1 -all" "two \\"quoted\\" strings"'],
  ['SPF', 'spf', '"v=spf1 -all"'],
  ['SRV', '_sip._tcp', '0 5 5060 sip.example.net.'],
  ['SSHFP', 'sshfp', '1 1 123456789ABCDEF67890123456789ABCDEF67890'],
  ['CAA', 'caa', '0 issue "ca.example.net"'],
  ['NAPTR', 'naptr', '100 10 "S" "SIP+D2U" "" _sip._udp.example.net.'],
  ['TLSA', '_443._tcp', `3 1 1 ${'AB'.repeat(32)}`],
  [
    'SVCB',
    'svcb',
    '1 svc.example.net. alpn="h2" port=8443',
    '1 svc.example.net. alpn=h2 port=8443',
  ],
  ['HTTPS', 'https', '1 . alpn="h3,h2" ipv4hint=192.0.2.7', '1 . alpn=h3,h2 ipv4hint=192.0.2.7'],
  ['CERT', 'cert', 'PGP 0 0 AAECAwQ=', '3 0 0 AAECAwQ='],
  ['DS', 'delegated', `60485 8 2 ${'0F'.repeat(32)}`],
  ['DNAME', 'dname', 'other.example.net.'],
  [
    'LOC',
    'loc',
    '52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m',
    '52 22 23 N 4 53 32 E -2m 1m 10000m 10m',
  ],
  ['URI', 'uri', '10 1 "https://www.example.net/"'],
  ['HINFO', 'hinfo', '"VAX" "UNIX"'],
  ['RP', 'rp', 'ops.example.net. txt.example.net.'],
  ['OPENPGPKEY', 'openpgpkey', 'AAECAwQ='],
  ['SMIMEA', 'smimea', `3 0 0 ${'CD'.repeat(20)}`],
  ['CDS', 'cds', `60485 8 2 ${'0F'.repeat(32)}`],
  ['CDNSKEY', 'cdnskey', '257 3 13 AAECAwQ='],
  ['DNSKEY', 'dnskey', '256 3 13 AAECAwQ='],
  ['CSYNC', 'csync', '66 3 A NS AAAA'],
  ['APL', 'apl', '1:192.0.2.0/24 !2:2001:db8::/32'],
  ['EUI48', 'eui48', '00-00-5e-00-53-2a'],
  ['EUI64', 'eui64', '00-00-5e-ef-10-00-00-2a'],
  ['NID', 'nid', '10 14:4fff:ff20:ee64', '10 0014:4fff:ff20:ee64'],
  ['L32', 'l32', '10 192.0.2.0'],
  ['L64', 'l64', '10 2001:db8:1140:1000', '10 2001:0db8:1140:1000'],
  ['LP', 'lp', '10 l64.example.net.'],
  ['IPSECKEY', 'ipseckey', '10 1 2 192.0.2.38 AQIDBA=='],
  ['X25', 'x25', '"311061700956"'],
  ['ISDN', 'isdn', '"150862028003217" "004"'],
  ['HIP', 'hip', '2 200100107b1a74df365639cc39f1d578 AQIDBA== rvs.example.net.'],
  ['AMTRELAY', 'amtrelay', '10 0 1 192.0.2.15'],
  ['AVC', 'avc', '"app-name:EXAMPLE|app-class:OAM"'],
  ['RESINFO', 'resinfo', '"qnamemin" "exterr=15,16,17"'],
  ['DSYNC', 'dsync', 'CDS NOTIFY 5359 a.example.net.'],
  ['TYPE65280', 'unknown', '\\# 4 0A000001'],
]

/** Types that kdig 3.2 has no name for. */
const unknownToKdig: ReadonlySet<string> = new Set([
  'X25',
  'ISDN',
  'HIP',
  'AMTRELAY',
  'AVC',
  'RESINFO',
  'DSYNC',
])

t.test(
  'dig over UDP and TCP, kdig and nslookup see every record type as it was posted',
  async t => {
    const server = await Appliance.start({ dataDirectory: serverFolder(t) })
    t.teardown(() => server.kill())
    const zone = await server.json<{ id: string }>('POST', '/v2/zones', {
      name: 'example.com.',
      email: 'ops@example.com',
    })
    for (const [type, label, value] of rows) {
      const body = { name: `${label}.example.com.`, type, records: [value], ttl: 300 }
      await server.json('POST', `/v2/zones/${zone.id}/recordsets`, body)
    }
    const { host, port } = server.endpoint()
    for (const [type, label, value, kdig = value] of rows) {
      const name = `${label}.example.com.`
      const delegation = type === 'NS' ? '+authority' : '+answer'
      for (const transport of ['+notcp', '+tcp']) {
        const options = ['+norec', '+noall', delegation, transport]
        const stdout = await ask('dig', server.endpoint(), [name, type, ...options])
        t.equal(normal(stdout), normal(`${name} 300 IN ${type} ${value}`), `${type} ${transport}`)
      }
      if (unknownToKdig.has(type)) continue
      const options = ['+norec', '+noall', delegation]
      const stdout = await ask('kdig', server.endpoint(), [name, type, ...options])
      t.equal(normal(stdout), normal(`${name} 300 IN ${type} ${kdig}`), `${type} kdig`)
    }
    const { stdout } = await run('nslookup', [`-port=${port}`, 'a.example.com.', host])
    t.match(stdout, /Name:\s+a\.example\.com\nAddress: 192\.0\.2\.1/)
  },
)

t.test('dig over IPv6 gets the same answers', async t => {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.kill())
  const body = { name: 'example.org.', email: 'ops@example.org' }
  await server.json('POST', '/v2/zones', body)
  const stdout = await ask('dig', server.endpoint(6), ['example.org', 'SOA', '+short'])
  t.match(stdout, /ops\.example\.org\./)
})

/** The output of a program that queries a server. */
async function ask(
  program: 'dig' | 'kdig',
  { host, port }: Endpoint,
  question: readonly string[],
): Promise<string> {
  return (await run(program, [`@${host}`, '-p', String(port), ...question])).stdout
}

/** Blanks between fields and inside long hexadecimal or base64 fields differ between tools, and so does the
 *  case of digits. */
function normal(line: string): string {
  return line.trim().replaceAll(/\s+/g, '').toLowerCase()
}
