// Question: what does an answer from a signed zone cost the server in processor time, beside Knot and NSD with the same zone and beside
//   the same answer without signatures; and what does it take to sign a zone of so many names here, beside kzonesign?
// Method: the zone of `load/zone.ts`, signed by dnssec-signzone, in Knot and NSD and fetched by ours, all held to core 0, loaded by
//   dnsperf on core 1 one after the other, in rounds: an address, a type that the name does not have, and a name that
//   does not exist, each with DO, and of ours without. Medians of the rounds. Then a zone of one address a name is planned, signed by two
//   threads and put into a table, and an address of it is changed, with and without signatures. kzonesign signs the same
//   zone with two threads, in turns with ours; it reads and writes a file besides.
// A good number: 1.0 of Knot's and NSD's processor time, 1.3 of that without DO. Signing: OpenSSL's 21 us a signature and Node's 28, over two threads.
//   A change: two signatures more than an unsigned one.
// Not measured: what a commit and the disk add to a change.
// Options: --rounds 5 --seconds 4 --names 100000 --changes 2000 --denial NSEC3 --parts signing,signers,answers

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bulk } from '../../src/bulk/bulk.ts'
import { types } from '../../src/dns/codes.ts'
import { formatName, parseName } from '../../src/dns/name.ts'
import { formatRdata, parseRdata, typeMnemonic } from '../../src/dns/rdata/index.ts'
import type { Denial } from '../../src/dnssec/denial.ts'
import { newPrivateKey, ZoneKey } from '../../src/dnssec/key.ts'
import { signedEdits } from '../../src/dnssec/signed-edits.ts'
import { signWholeZone } from '../../src/dnssec/whole-zone.ts'
import { type Edit, StagedEdits } from '../../src/zone/edits.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { createZone, openTable } from '../../test/helpers/zone-table.ts'
import { loadInRounds, type Measured } from './load/rounds.ts'
import { origin } from './load/zone.ts'
import { formatComparison } from './report/comparison.ts'
import { machineLine } from './report/machine.ts'
import { median } from './report/median.ts'
import { ours, startContenders } from './servers/contenders.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    names: { type: 'string', default: '100000' },
    changes: { type: 'string', default: '2000' },
    denial: { type: 'string', default: 'NSEC' },
    parts: { type: 'string', default: 'signing,signers,answers' },
  },
})
const nameCount = Number(values.names)
const denial = values.denial as Denial
const queryCount = 100_000

const questions: readonly (readonly [string, (i: number) => string])[] = [
  ['an address', i => `host${i}.${origin} A`],
  ['NODATA', i => `host${i}.${origin} TXT`],
  ['NXDOMAIN', i => `host${i}x.${origin} A`],
]

async function compareAnswers(): Promise<void> {
  const contenders = await startContenders({
    names: [ours, 'knot', 'nsd'],
    ...{ nameCount, queryCount, core: 0, denial: denial === 'NSEC' ? 'NSEC' : 'NSEC3' },
  })
  try {
    for (const [kind, question] of questions) {
      const queryFile = join(contenders.folder, kind)
      const lines = Array.from({ length: queryCount }, (_, i) => question((i * 7919) % nameCount))
      writeFileSync(queryFile, `${lines.join('\n')}\n`)
      const fixed = { transport: 'udp', core: 1, clients: 4, outstanding: 400 } as const
      const times = { seconds: Number(values.seconds), rounds: Number(values.rounds) }
      const load = { ...fixed, queryFile }
      const signed = { load: { ...load, isDnssecOk: true }, ...times }
      const measured = await loadInRounds(contenders.servers, signed)
      console.log(`${kind}, with DO\n${formatComparison(measured, ours)}\n`)
      const own = contenders.servers.filter(({ name }) => name === ours)
      const [plain, again] = [
        cpuMicrosOf(await loadInRounds(own, { load, ...times })),
        cpuMicrosOf(await loadInRounds(own, signed)),
      ]
      console.log(`ours with DO ÷ without: ${(again / plain).toFixed(2)}\n`)
    }
  } finally {
    await contenders.close()
  }
}

/** Of an answer, the median of the rounds. */
function cpuMicrosOf([measured]: readonly Measured[]): number {
  return median((measured?.results ?? []).map(({ cpuMicros }) => cpuMicros))
}

const rrset = (owner: string, type: number, text: string) => ({
  owner: parseName(owner),
  type,
  ttlSeconds: 3600,
  rdatas: [parseRdata(type, text)],
})
const soa = (serial: number) => rrset(origin, types.SOA, `ns. ops. ${serial} 7200 900 86400 300`)
const host = (i: number, last: number) => rrset(`host${i}.${origin}`, types.A, `192.0.2.${last}`)

const now = () => Math.floor(Date.now() / 1000)

function zoneToSign() {
  const rrsets = [soa(1), rrset(origin, types.NS, 'ns.example.net.')]
  for (let i = 0; i < nameCount; i += 1) rrsets.push(host(i, i & 255))
  return rrsets
}

async function compareSigners(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const lines = zoneToSign().map(
    ({ owner, ttlSeconds, type, rdatas: [rdata = new Uint8Array()] }) =>
      `${formatName(owner)} ${ttlSeconds} ${typeMnemonic(type)} ${formatRdata(type, rdata)}`,
  )
  writeFileSync(join(folder, 'zone'), `${lines.join('\n')}\n`)
  const conf = `
database:
    storage: ${folder}
policy:
  - id: one
    algorithm: ecdsap256sha256
    single-type-signing: on
    signing-threads: 2
    nsec3: ${denial === 'NSEC' ? 'off' : 'on'}
zone:
  - domain: ${origin}
    file: ${folder}/zone
    dnssec-signing: on
    dnssec-policy: one
`
  writeFileSync(join(folder, 'conf'), conf)
  const seconds: Record<'ours' | 'kzonesign', number[]> = { ours: [], kzonesign: [] }
  try {
    for (let round = 0; round < Number(values.rounds); round += 1) {
      seconds.ours.push((await signHere(createZone(openTable(), zoneToSign()))).cpuSeconds)
      const script = `kzonesign -r -c ${folder}/conf -o ${folder} ${origin} >/dev/null 2>&1 && times`
      const times = execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n')[1]
      const parts = [...(times ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
      seconds.kzonesign.push(parts.reduce((sum, [, m, s]) => sum + 60 * Number(m) + Number(s), 0))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const [own, other] = [median(seconds.ours), median(seconds.kzonesign)]
  console.log(
    `signing, processor time: ours ${own.toFixed(2)} s, kzonesign ${other.toFixed(2)} s, `,
  )
  console.log(`${(own / other).toFixed(2)} of it`)
}

/** Signs a zone with two threads. */
async function signHere(zone: TableZone) {
  const key = new ZoneKey(newPrivateKey())
  const terms = { apexRrsets: [], keySigners: [key], zoneSigners: [key], denial, nowSeconds: now() }
  const bulk = new Bulk({ maxThreads: 2 })
  const cpu = process.cpuUsage()
  const started = performance.now()
  let signatureCount = 0
  await signWholeZone(zone, terms, {
    signBatch: batch => {
      signatureCount += batch.data.length
      return bulk.signBatch(batch, 'one')
    },
    put: (owner, edits) => zone.changeName(owner, edits, 'all'),
    goOn: () => true,
  })
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  await bulk.close()
  return { terms, signatureCount, seconds, cpuSeconds: (user + system) / 1e6 }
}

async function measureSigning(): Promise<void> {
  const table = openTable()
  const zone = createZone(table, zoneToSign())
  const unsignedMicros = changes(zone, edits => edits)
  const { usedOctets } = table.usage
  const { terms, signatureCount, seconds, cpuSeconds } = await signHere(zone)
  const octets = (table.usage.usedOctets - usedOctets) / nameCount
  console.log(
    `${nameCount} names, ${signatureCount} signatures: ${seconds.toFixed(2)} s by the clock, `,
  )
  console.log(`${cpuSeconds.toFixed(2)} s of processor time; ${octets.toFixed(0)} octets a name`)
  const signedMicros = changes(zone, edits => signedEdits(zone, edits, terms))
  console.log(`an address changed: ${unsignedMicros} unsigned, ${signedMicros} signed`)
}

/** Changes addresses, each with a serial; p50 and p99. */
function changes(zone: TableZone, made: (edits: Edit[]) => Iterable<Edit | undefined>): string {
  const micros: number[] = []
  for (let i = 0; i < Number(values.changes); i += 1) {
    const changed = [host((i * 7919) % nameCount, (i * 7) & 255), soa(zone.serial + 1)]
    const started = performance.now()
    const staged = new StagedEdits(zone, 'small')
    for (const edit of made(changed.map(own => ({ recordsetId: '', ...own, rrset: own })))) {
      if (edit !== undefined) staged.put(edit)
    }
    for (const { owner, edits, part } of staged.inOrder()) zone.changeName(owner, edits, part)
    micros.push((performance.now() - started) * 1000)
  }
  micros.sort((one, other) => one - other)
  const p99 = micros[Math.floor(micros.length * 0.99)] as number
  return `p50 ${median(micros).toFixed(0)} us, p99 ${p99.toFixed(0)} us`
}

const parts = { signing: measureSigning, signers: compareSigners, answers: compareAnswers }
for (const [part, measure] of Object.entries(parts))
  if (values.parts.split(',').includes(part)) await measure()
console.log(machineLine())
