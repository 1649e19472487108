import t from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { readTransfer } from '../../../src/bulk/read-transfer.ts'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { defaultRefreshBounds as bounds } from '../../../src/model/refresh.ts'
import { installCopy, installDifference } from '../../../src/service/secondaries/secondary-rows.ts'
import type { Store } from '../../../src/store/store.ts'
import type { TransferQuota } from '../../../src/zone/transfer-in.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { copyFromText } from '../../helpers/scripted-client.ts'
import { newSecondary } from '../../helpers/secondary-zone.ts'
import { noQuota, piecesOf, recordsFromText, transferMessage } from '../../helpers/transfer.ts'

const apex = parseName('example.')
const soa = (serial: number) => `@ 300 SOA ns host ${serial} 3600 600 86400 60`
const zoneText = `${soa(7)}
  @ 300 NS ns
  ns 300 A 192.0.2.1
  www 60 A 192.0.2.2
  www 60 A 192.0.2.3
  mail 60 MX 10 Relay
  alias 60 CNAME www`
const bulk = new Bulk({ maxThreads: 0 })
const momentAt = (atMicros: number) => ({ atMicros, random: 0, bounds })
const limits = { maxRecords: 1e6, maxOctets: 1e9 }

/** A change as text: lines that go, then what comes. */
type Sequence = { readonly from: number; readonly to: number; gone?: string; come?: string }

async function copyOf(text = zoneText) {
  const clock = fakeClock()
  const store = openMemoryStore({ clock })
  const zone = newSecondary({}, clock.nowMillis() * 1000)
  await store.commit(tx => tx.put('zones', zone))
  let commitCount = 0
  await installCopy(store, zone, { bulk, copy: copyFromText(text), momentAt })
  store.setCommitListener(() => {
    commitCount += 1
    return undefined
  })
  const row = () => store.get('zones', zone.id)!
  const apply = (sequences: readonly Sequence[], quota: Partial<TransferQuota> = {}) => {
    const last = soa(sequences.at(-1)?.to ?? 0)
    const lines = sequences.flatMap(({ from, to, gone = '', come = '' }) => [
      soa(from),
      gone,
      soa(to),
      come,
    ])
    const records = recordsFromText(apex, [last, ...lines, last].join('\n'))
    const message = transferMessage({ id: 1, zone: apex, type: types.IXFR, records })
    const pieces = piecesOf([message])
    const received = { zone: apex, id: 1, type: types.IXFR, limits, quota: noQuota, hashSeed: 1 }
    const reading = readTransfer({ ...received, pieces, knownSerial: row().serial })
    if (reading.kind !== 'difference') return Promise.resolve(reading.kind)
    const { difference } = reading
    return installDifference(store, row(), {
      difference,
      quota: { ...noQuota, ...quota },
      momentAt,
    })
  }
  return { store, row, apply, commits: () => commitCount, lines: () => linesOf(store, zone.id) }
}

function linesOf(store: Store, zoneId: string): string[] {
  return [...store.list('recordsets', 'byZone', zoneId)]
    .flatMap(({ name, type, ttlSeconds, records }) =>
      records.map(record => [name.replace(/example\.$/, ''), ttlSeconds, type, record].join(' ')),
    )
    .filter(line => !line.includes(' SOA '))
    .toSorted()
}

t.test('what has changed is one commit, with its SOA', async t => {
  const { apply, lines, row, commits, store } = await copyOf()
  const before = lines()
  const gone = 'www 60 A 192.0.2.2\nalias 60 CNAME www'
  const come = 'alias 60 A 192.0.2.9\nnew 30 TXT text\nwww 60 A 192.0.2.4'
  t.equal(await apply([{ from: 7, to: 9, gone, come }]), 5)
  t.same(
    lines(),
    [
      ...before.filter(line => !line.startsWith('alias') && !line.endsWith('192.0.2.2')),
      'alias. 60 A 192.0.2.9',
      'new. 30 TXT "text"',
      'www. 60 A 192.0.2.4',
    ].toSorted(),
  )
  t.match(row(), { serial: 9, transfer: { isReplacing: false, failureCount: 0 } })
  t.equal(commits(), 1)
  const zoneId = row().id
  t.ok([...store.list('recordsets', 'byZone', zoneId)].every(({ isManaged }) => isManaged))
})

t.test('sequences are one change; what goes and comes again is as it was', async t => {
  const { apply, lines } = await copyOf()
  const before = lines()
  const line = 'www 60 A 192.0.2.2'
  t.equal(
    await apply([
      { from: 7, to: 8, gone: line, come: 'a 60 A 192.0.2.5' },
      { from: 8, to: 9, gone: 'a 60 A 192.0.2.5', come: line },
    ]),
    2,
  )
  t.same(lines(), before)
})

t.test('a TTL changes by all records going and coming again', async t => {
  const { apply, lines } = await copyOf()
  const www = (ttl: number) => `www ${ttl} A 192.0.2.2\nwww ${ttl} A 192.0.2.3`
  await apply([{ from: 7, to: 8, gone: www(60), come: www(90) }])
  t.same(
    lines().filter(line => line.startsWith('www')),
    ['www. 90 A 192.0.2.2', 'www. 90 A 192.0.2.3'],
  )
})

t.test('names in data are found in any case', async t => {
  const { apply, lines } = await copyOf()
  await apply([{ from: 7, to: 8, gone: 'MAIL 60 MX 10 rElay', come: 'mail 60 MX 20 relay' }])
  t.match(lines().join('\n'), /^mail\. 60 MX 20 relay\.example\.$/im)
})

t.test('a large change is published as one, in several commits', async t => {
  const { apply, lines, row, commits } = await copyOf()
  const come = Array.from({ length: 700 }, (_, i) => `h${i} 60 A 192.0.2.1`).join('\n')
  t.equal(await apply([{ from: 7, to: 8, come }]), 701)
  t.equal(lines().length, 706)
  t.match(row(), { serial: 8, transfer: { isReplacing: false } })
  t.ok(commits() > 1)
})

t.test('serials wrap (RFC 1982)', async t => {
  const { apply, row } = await copyOf(zoneText.replace(soa(7), soa(0xffff_ffff)))
  t.equal(await apply([{ from: 0xffff_ffff, to: 3, come: 'x 60 A 192.0.2.1' }]), 2)
  t.equal(row().serial, 3)
})

const misfits: readonly [what: string, Sequence, quota?: Partial<TransferQuota>][] = [
  ['a change of another version', { from: 6, to: 8, come: 'x 60 A 192.0.2.1' }],
  ['a record that is to go is missing', { from: 7, to: 8, gone: 'www 60 A 192.0.2.77' }],
  ['a recordset that is to go is missing', { from: 7, to: 8, gone: 'none 60 A 192.0.2.1' }],
  ['a record that is to come is there', { from: 7, to: 8, come: 'www 60 A 192.0.2.2' }],
  ['data beside a CNAME', { from: 7, to: 8, come: 'alias 60 A 192.0.2.2' }],
  ['a second CNAME', { from: 7, to: 8, come: 'alias 60 CNAME mail' }],
  ['no NS left', { from: 7, to: 8, gone: '@ 300 NS ns' }],
  ['too many recordsets', { from: 7, to: 8, come: 'x 60 A 192.0.2.1' }, { maxRrsets: 6 }],
  ['too many records', { from: 7, to: 8, come: 'www 60 A 192.0.2.4' }, { maxRecords: 7 }],
  ['too many in one', { from: 7, to: 8, come: 'www 60 A 192.0.2.4' }, { maxRrsetRecords: 2 }],
]

for (const [what, sequence, quota] of misfits) {
  t.test(`${what}: nothing changes`, async t => {
    const { apply, lines, row, commits } = await copyOf()
    const before = lines()
    t.equal(await apply([sequence], quota), 'unfit')
    t.same(lines(), before)
    t.equal(row().serial, 7)
    t.equal(commits(), 0)
  })
}

t.test('responses that are no sequence of changes are told by their form', async t => {
  const { apply } = await copyOf()
  const rows: readonly (readonly Sequence[])[] = [
    [
      { from: 7, to: 8 },
      { from: 7, to: 9 },
    ],
    [{ from: 7, to: 8, gone: 'a 60 A 192.0.2.1\na 60 A 192.0.2.1' }],
    [{ from: 7, to: 8, come: 'a 60 CLASS4 A 192.0.2.1' }],
  ]
  for (const sequences of rows) t.equal(await apply(sequences), 'failed')
  t.equal(await apply([{ from: 7, to: 6, come: 'a 60 A 192.0.2.1' }]), 'failed', 'an older version')
})
