// Question: what does a blacklist of 1,000 patterns, hostile ones among them, add to the creation of a zone?
// Method: zones are created by a project's member in a store in memory, one after another, each of a name of its
//   own: half without any pattern, then half with all of them, of which none fits, so that each is run to its end.
//   Names are usual ones, and ones made up to keep the hostile patterns busy. The first creations are left out,
//   as the first of a server's life are few.
//   Shown are the tenth of a hundred, which a busy machine leaves alone, and the median.
// A good number: below 5 ms more. The patterns are run within the one
//   transaction that may write at a time, so more would hold up everybody.
// Not measured: HTTP, the disk, and unrealistically long names.

import { Blacklists, requireNotBlacklisted } from '../../src/service/rules/blacklists.ts'
import { callerOf, openDns, primary, type TestDns } from '../../test/helpers/dns.ts'
import { machineLine } from './report/machine.ts'
import { median, quantile } from './report/median.ts'
import { formatTable } from './report/table.ts'

const zoneCount = 1000
const warmUpCount = 200
const member = callerOf('one')

/** Patterns as operators write them, and as an attacker who wants the server to hang writes them. */
function patterns(): string[] {
  const numbered = (count: number, pattern: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => pattern(i))
  return [
    ...numbered(400, i => `^brand-${i}\\.[a-z]+\\.$`),
    ...numbered(200, i => `(^|\\.)phishing-${i}[a-z0-9-]*\\.`),
    ...numbered(100, i => `^([A-Za-z0-9_\\-]+\\.)*internal-${i}\\.example\\.\\Z`),
    // Without a literal that would rule a name out at once.
    ...numbered(100, i => `^[0-9]{${i + 1}}\\.[0-9]+\\.$`),
    ...numbered(40, i => `^(([a-z])+.)+[A-Z]([a-z])+${i}$`),
    ...numbered(40, i => `^(a+)+(b{${i + 1}})?$`),
    ...numbered(40, i => `(x+x+)+y{${i + 1}}$`),
    ...numbered(40, i => `^(a|aa|ab)*c{${i + 1}}$`),
    ...numbered(20, i => `^(.*a){${i + 10}}$`),
    ...numbered(20, i => `.*a.{${i + 10}}b$`),
  ]
}

const names: Readonly<Record<string, (i: number) => string>> = {
  'usual names': i => `customer-${i}.shop.example.`,
  'long names': i => `${'service-of-a-large-company.'.repeat(6)}z${i}.example.`,
  'hostile names': i => `${'a'.repeat(50)}.${'ab'.repeat(25)}.${'x'.repeat(50)}.a${i}.example.`,
}

async function main(): Promise<void> {
  const rows: string[][] = []
  for (const [kind, name] of Object.entries(names)) {
    const free = await timeCreations(await openDns(), name)
    const dns = await openDns()
    const listed = await timeCreations(await withPatterns(dns), name)
    const check = timeChecks(dns, name)
    rows.push([
      kind,
      ...[free, listed, check].flatMap(times => [ms(quantile(times, 0.1)), ms(median(times))]),
    ])
  }
  const headings = ['', 'free', 'median', 'listed', 'median', 'check alone', 'median']
  console.log(formatTable(headings, rows))
  console.log(`${patterns().length} patterns; compiled at a start in ${ms(await compileTime())}`)
  console.log(machineLine())
}

async function withPatterns(dns: TestDns): Promise<TestDns> {
  for (const pattern of patterns()) await dns.blacklists.create({ pattern, description: null })
  return dns
}

async function timeCreations({ zones }: TestDns, name: (i: number) => string): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < zoneCount + warmUpCount; i += 1) {
    const startedAt = performance.now()
    await zones.create(member, primary(name(i)))
    if (i >= warmUpCount) times.push(performance.now() - startedAt)
  }
  return times
}

function timeChecks({ store }: TestDns, name: (i: number) => string): number[] {
  return Array.from({ length: zoneCount }, (_, i) => {
    const startedAt = performance.now()
    requireNotBlacklisted(store, member, name(i + zoneCount))
    return performance.now() - startedAt
  })
}

/** The time that a server starting on these rows takes to compile them, as they are new to it. */
async function compileTime(): Promise<number> {
  const { store } = await withPatterns(await openDns())
  const rows = [...store.list('blacklists', 'all', '')]
  await store.commit(tx => {
    for (const row of rows) tx.put('blacklists', { ...row })
  })
  const startedAt = performance.now()
  new Blacklists(store)
  return performance.now() - startedAt
}

function ms(milliseconds: number): string {
  return `${milliseconds.toFixed(2)} ms`
}

await main()
