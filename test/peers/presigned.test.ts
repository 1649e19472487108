import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Appliance, adminToken } from '../helpers/appliance.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { delv, startUnbound, type TrustedZone } from '../helpers/validators.ts'

// Zone files that other programs have signed, imported and answered as they are: unbound and delv validate every answer, and
// what is transferred is what was in the file.

const apex = 'signed.example.'

function zoneText(serial: number): string {
  return `$ORIGIN ${apex}
$TTL 300
@ SOA ns hostmaster ${serial} 7200 900 1209600 300
@ NS ns
ns A 192.0.2.1
a.b.ent A 192.0.2.2
*.wild TXT "w"
x.y.wild A 192.0.2.3
alias CNAME any.wild
out CNAME nothere
sec NS ns.sec
sec DS 1 13 2 ${'0'.repeat(63)}1
ns.sec A 192.0.2.4
ins NS ns.ins
ns.ins A 192.0.2.5
i2.deep NS ns
dn DNAME wild
MiXed MX 10 ns
`
}

/** Positive and negative answers of each class. */
const questions = [
  ...['SOA', 'NS', 'DNSKEY', 'MX'].map(type => `${apex} ${type}`),
  ...['ns A', 'ns AAAA', 'mixed MX', 'a.b.ent A', 'ent A', 'b.ent TXT', 'no A', 'x.ent A'],
  ...['q.wild TXT', 'q.r.wild TXT', 'q.wild A', '*.wild TXT', 'y.wild A', 'q.y.wild TXT'],
  ...['alias TXT', 'alias A', 'alias CNAME', 'out CNAME', 'out A', 'sec DS', 'ins DS'],
  ...['i2.deep DS', 'deep A', 'dn DNAME', 'q.dn TXT', 'q.dn A', 'dn A', 'zzz TXT'],
].map(question => (question.startsWith(apex) ? question : question.replace(' ', `.${apex} `)))
/** With opt-out, a name that is not there is only proved to be unsigned (RFC 5155 section 9.2 forbids AD): what it takes to
 *  deny a name, to expand a wildcard, or to say that there is no DS. */
const deniesNames = /^(ent|b|no|x|q|y|alias|out|ins|i2|deep|zzz)\./

type Signer = {
  readonly name: string
  readonly isOptOut?: boolean
  sign(folder: string): void
}

function run(folder: string, program: string, ...words: readonly string[]): string {
  return execFileSync(program, words, { cwd: folder, encoding: 'utf8' })
}

function ldns(folder: string, ...words: readonly string[]): void {
  const base = existsSync(join(folder, 'base'))
    ? readFileSync(join(folder, 'base'), 'utf8')
    : run(folder, 'ldns-keygen', '-k', '-a', 'ECDSAP256SHA256', apex).trim()
  writeFileSync(join(folder, 'base'), base)
  run(folder, 'ldns-signzone', ...words, '-o', apex, '-f', 'out', 'zone', base)
}

function bind(folder: string, ...words: readonly string[]): void {
  if (!existsSync(join(folder, 'base'))) {
    run(folder, 'dnssec-keygen', '-q', '-a', '13', '-f', 'KSK', apex)
    writeFileSync(join(folder, 'base'), '')
  }
  const options = ['-q', '-z', '-S', '-O', 'full', ...words, '-o', apex, '-f', 'out', 'zone']
  run(folder, 'dnssec-signzone', ...options)
}

const signers: readonly Signer[] = [
  { name: 'ldns-signzone with NSEC', sign: folder => ldns(folder) },
  { name: 'ldns-signzone with NSEC3', sign: folder => ldns(folder, '-n', '-t', '0') },
  { name: 'dnssec-signzone with NSEC', sign: folder => bind(folder) },
  { name: 'dnssec-signzone with NSEC3', sign: folder => bind(folder, '-3', 'aabb') },
  {
    name: 'dnssec-signzone with opt-out',
    isOptOut: true,
    sign: folder => bind(folder, '-3', '-', '-A'),
  },
]

function signedFile(folder: string, signer: Signer, serial: number): string {
  writeFileSync(join(folder, 'zone'), zoneText(serial))
  signer.sign(folder)
  return readFileSync(join(folder, 'out'), 'utf8')
}

async function importFile(server: Appliance, text: string): Promise<string> {
  const response = await fetch(
    `${server.apiUrl}/v2/zones/tasks/imports?replace=true&origin=${apex}`,
    {
      method: 'POST',
      headers: { 'x-auth-token': adminToken, 'content-type': 'text/dns' },
      body: text,
    },
  )
  type Import = { id: string; status: string; message: string; zone_id: string }
  const { id } = (await response.json()) as Import
  const done = await until(
    () => server.json<Import>('GET', `/v2/zones/tasks/imports/${id}`),
    ({ status }) => status !== 'PENDING',
  )
  if (done.status !== 'COMPLETE') throw new Error(done.message)
  return done.zone_id
}

/** Records in a form that is the same for all programs. */
function recordsOf(folder: string, text: string): string[] {
  writeFileSync(join(folder, 'records'), text)
  return run(folder, 'ldns-read-zone', '-c', '-0', 'records').trim().split('\n').sort()
}

async function checkValid(
  t: Test,
  { zone, signer }: { readonly zone: TrustedZone; readonly signer: Signer },
): Promise<void> {
  const unbound = await startUnbound(zone)
  t.teardown(() => unbound.close())
  const maybe = (question: string) => signer.isOptOut === true && deniesNames.test(question)
  for (const question of questions) {
    const { rcode, isValid } = await unbound.ask(question)
    t.not(rcode, 'SERVFAIL', question)
    if (!maybe(question)) t.ok(isValid, `unbound: ${question}`)
  }
  const said = await delv(t.testdir(), zone, questions)
  for (const [i, question] of questions.entries()) {
    if (!maybe(question)) t.match(said[i], /fully validated/, `delv: ${question}`)
  }
}

for (const signer of signers) {
  t.test(`a file of ${signer.name} is answered as it is, and so is a newer one`, async t => {
    const server = await Appliance.start({
      dataDirectory: serverFolder(t),
      environment: { ZONEWRIGHT_NAMESERVERS: 'ns1.example.net.' },
    })
    t.teardown(() => server.stop())
    const { host, port } = server.endpoint()
    const folder = serverFolder(t)
    for (const serial of [7, 8]) {
      const text = signedFile(folder, signer, serial)
      const zoneId = await importFile(server, text)
      const zone = `/v2/zones/${zoneId}`
      await server.json('PATCH', zone, { attributes: { allow_transfer: '127.0.0.1' } })
      const axfr = run(
        folder,
        'dig',
        `@${host}`,
        '-p',
        `${port}`,
        apex,
        'AXFR',
        '+onesoa',
        '+nocomments',
      )
      t.same(recordsOf(folder, axfr), recordsOf(folder, text), 'transferred as it came')
      t.equal((await server.json<{ serial: number }>('GET', zone)).serial, serial)
      const keys = recordsOf(folder, text)
        .filter(line => /\sDNSKEY\s/.test(line) && !/\sRRSIG\s/.test(line))
        .map(line => line.replace(/.*\sDNSKEY\s+/, '').replace(/\s*;.*/, ''))
      await checkValid(t, { signer, zone: { apex, keys, server: { host, port } } })
      const www = { name: `www.${apex}`, type: 'A', records: ['192.0.2.9'] }
      const refused = await server.request('POST', `${zone}/recordsets`, www)
      t.equal(refused.status, 400)
      t.match(await refused.text(), /signed elsewhere/)
    }
    await t.rejects(
      importFile(server, signedFile(folder, signer, 8)),
      /serial 8 is not newer than 8/,
    )
    const zoneId = await importFile(server, zoneText(9))
    const www = { name: `www.${apex}`, type: 'A', records: ['192.0.2.9'] }
    await server.json('POST', `/v2/zones/${zoneId}/recordsets`, www)
    const ns = run(folder, 'dig', `@${host}`, '-p', `${port}`, apex, 'NS', '+short')
    t.equal(ns, 'ns1.example.net.\n', 'an unsigned file makes it a zone of this server')
  })
}
