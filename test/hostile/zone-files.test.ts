import t from 'tap'
import { Bulk } from '../../src/bulk/bulk.ts'
import type { ZoneFileInput, ZoneFileReading } from '../../src/bulk/read-zone-file.ts'
import type { ZoneImport } from '../../src/model/zone-import.ts'
import { callerOf, openDns, piecesOf, type TestDns } from '../helpers/dns.ts'
import { refusal } from '../helpers/refusal.ts'

// A project that sends zone files without end, beside one that sends a single line.

const hostile = callerOf('one')
const other = callerOf('two')
const mebi = 2 ** 20

const head = (name: string) => `$ORIGIN ${name}\n$TTL 600\n@ SOA ns ops 1 2 3 4 5\n`
/** As many recordsets as a file of some hundred kilobytes has. */
const longBody = bodyOf(12_000)
/** As long as a file may be that does not wait for long ones, more or less. */
const shortBody = bodyOf(6_000)

function bodyOf(recordsets: number): string {
  return Array.from({ length: recordsets }, (_, i) => `host-number-${i} A 192.0.2.1\n`).join('')
}

async function send(dns: TestDns, text: string, caller = hostile): Promise<() => ZoneImport> {
  const { id } = await dns.zoneImports.create(caller, { pieces: piecesOf(text), attributes: {} })
  return () => dns.zoneImports.get(caller, id)
}

/** Waits for an import; says how many of the others got through meanwhile. */
async function throughBefore(one: () => ZoneImport, others: readonly (() => ZoneImport)[]) {
  const doneCount = () => others.filter(row => row().status !== 'PENDING').length
  const before = doneCount()
  while (one().status === 'PENDING') await new Promise(setImmediate)
  return doneCount() - before
}

/** Long files are read when the test says so, as if a thread took that long. */
class HeldBulk extends Bulk {
  release: () => void = () => undefined
  readonly #released = new Promise<void>(resolve => {
    this.release = resolve
  })

  override async readZoneFile(input: ZoneFileInput, projectId: string): Promise<ZoneFileReading> {
    const octetCount = input.pieces.reduce((sum, { length }) => sum + length, 0)
    if (octetCount > 1000) await this.#released
    return super.readZoneFile(input, projectId)
  }
}

t.test('a file of a line does not wait for fifteen long ones of another project', async t => {
  const bulk = new HeldBulk({ maxThreads: 0 })
  const dns = await openDns({ bulk })
  const long: (() => ZoneImport)[] = []
  for (let i = 0; i < 15; i += 1) {
    long.push(await send(dns, `${head(`long-${i}.example.`)}${longBody}`))
  }
  const line = await send(dns, `${head('line.example.')}www A 192.0.2.1\n`, other)
  t.equal(await throughBefore(line, long), 0)
  t.equal(line().status, 'COMPLETE')
  bulk.release()
  await dns.zoneImports.close()
})

t.test('a long file waits for one of fifteen of another project, and a short one too', async t => {
  for (const body of [longBody, shortBody]) {
    const dns = await openDns()
    const sent: (() => ZoneImport)[] = []
    for (let i = 0; i < 15; i += 1) {
      sent.push(await send(dns, `${head(`zone-${i}.example.`)}${body}`))
    }
    const mine = await send(dns, `${head('mine.example.')}${body}`, other)
    t.ok((await throughBefore(mine, sent)) <= 1)
    await dns.zoneImports.close()
  }
})

t.test('files of 31 MiB that wait are refused: two of a project, eight in all', async t => {
  const dns = await openDns()
  // Never read: what a file holds is of no account while it waits.
  const text = `${head('huge.example.')};${'x'.repeat(31 * mebi)}`
  const outcomes = await Promise.allSettled(
    Array.from({ length: 30 }, (_, i) => send(dns, text, callerOf(i < 10 ? 'one' : `p${i}`))),
  )
  const accepted = outcomes.map(({ status }) => status === 'fulfilled')
  t.equal(accepted.slice(0, 10).filter(Boolean).length, 2)
  t.equal(accepted.filter(Boolean).length, 8)
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue
    t.match(outcome.reason, { type: 'too_many_requests' })
  }
  await dns.zoneImports.close()
})

t.test('files of a line are counted too', async t => {
  const dns = await openDns()
  const text = `${head('small.example.')}`
  const outcomes = await Promise.allSettled(Array.from({ length: 150 }, () => send(dns, text)))
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 100)
  await dns.zoneImports.close()
})

t.test('a project that may have no more zones is refused before anything is read', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zones: 0 })
  await t.rejects(send(dns, `${head('a.example.')}${longBody}`), refusal('over_quota'))
})

t.test('a file is read no further than its project may have recordsets', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zoneRecordsets: 500 })
  const row = await send(dns, `${head('a.example.')}${longBody}a line that is none\n`)
  await dns.zoneImports.settled()
  t.match(row(), { status: 'ERROR', message: 'Quota exceeded during zone import.' })
})
