import t from 'tap'
import { parseName } from '../../../src/dns/name.ts'
import type { ZoneImport } from '../../../src/model/zone-import.ts'
import { maxTasksPerProject } from '../../../src/service/listing/tasks.ts'
import { everything } from '../../../src/store/indexes.ts'
import { type Store, StoreUnavailableError } from '../../../src/store/store.ts'
import { addresses, callerOf, openDns, piecesOf, primary, type TestDns } from '../../helpers/dns.ts'
import { checkPublished } from '../../helpers/publish-check.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const head = (name: string) =>
  `$ORIGIN ${name}\n$TTL 600\n@ 900 IN SOA ns.old. d\\.ops.${name} 7 1 2 3 4\n`

async function imported(dns: TestDns, text: string, attributes = {}): Promise<ZoneImport> {
  const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes })
  await dns.zoneImports.settled()
  return dns.zoneImports.get(one, id)
}

type Refusal = { readonly rule: string; readonly text: string; readonly message: string | RegExp }

const refusals: readonly Refusal[] = [
  {
    rule: 'no $ORIGIN',
    text: 'a.example. 60 IN SOA ns. ops. 1 2 3 4 5\n',
    message: 'The $ORIGIN statement is required and must be the first statement in the zonefile.',
  },
  {
    rule: 'an $ORIGIN after the first record',
    text: 'a.example. 60 IN SOA ns. ops. 1 2 3 4 5\n$ORIGIN a.example.\n',
    message: /^The \$ORIGIN statement is required/,
  },
  {
    rule: 'no SOA',
    text: '$ORIGIN a.example.\n@ 60 A 192.0.2.1\n',
    message: 'An SOA record is required.',
  },
  {
    rule: 'a record that is none',
    text: `${head('a.example.')}www A 192.0.2.1\nbad A 192.0.2.256\n`,
    message: /^Malformed zonefile\. Line 5: /,
  },
  {
    rule: 'several records that are none',
    text: `${head('a.example.')}bad A 192.0.2.256\nwww A 192.0.2.1\nworse AAAA x\n`,
    message: /^Malformed zonefile\. Line 4: [^;]+; line 6: [^;]+$/,
  },
  {
    rule: 'several names with defects',
    text: `${head('a.example.')}x A 192.0.2.1\nx CNAME b\ny CNAME b\ny TXT y\n`,
    message: /^Malformed zonefile\. Line 4: x[^;]+; line 6: y[^;]+$/,
  },
  {
    rule: 'several recordsets that could not be created',
    text: `${head('a.example.')}-x SRV 1 1 1 b\nx A 192.0.2.1\n-y SRV 1 1 1 b\n`,
    message: /^Malformed zonefile\. Line 4: [^;]+; line 6: [^;]+$/,
  },
  {
    rule: 'more refused lines than are named',
    text: `${head('a.example.')}${'x A none\n'.repeat(30)}`,
    message: /^Malformed zonefile\. (?:[^;]+; ){9}line 13: [^;]+$/,
  },
  {
    rule: '$INCLUDE',
    text: `${head('a.example.')}$INCLUDE /etc/passwd\n`,
    message: /^Malformed zonefile\. Line 4: \$INCLUDE is not allowed/,
  },
  {
    rule: 'a CNAME beside other data',
    text: `${head('a.example.')}\nwww A 192.0.2.1\nwww CNAME @\n`,
    message: /^Malformed zonefile\. Line 5: www\.a\.example\.: a CNAME beside other records$/,
  },
  {
    rule: 'several defects of a name, where their RRsets begin',
    text: `${head('a.example.')}x A 192.0.2.1\nwww CNAME b\nwww DNAME b\nX A 192.0.2.2\nwww DNAME c\nwww CNAME c\n`,
    message:
      /^Malformed zonefile\. Line 5: www\.a\.example\. CNAME: more than one record; line 6: [^;]+; line 5: [^;]+$/,
  },
  {
    rule: 'data below a DNAME, after all that is wrong with single names',
    text: `${head('a.example.')}x.old A 192.0.2.1\nOLD TXT x\nold DNAME b\n`,
    message: /^Malformed zonefile\. Line 5: OLD\.a\.example\.: records below a DNAME$/,
  },
  {
    rule: 'a TTL of more than 31 bits',
    text: `${head('a.example.')}x 4294967295 A 192.0.2.1\n`,
    message: /^Malformed zonefile\. Line 4: x\.a\.example\. A: a TTL above 2147483647$/,
  },
  {
    rule: 'more values than a recordset may have',
    text: `${head('a.example.')}@ NS ns\n$GENERATE 1-4200 x TYPE999 \\# 2 \${0,4,x}\nx TYPE999 \\# 2 0001\n`,
    message:
      /^Malformed zonefile\. Line 5: X\.a\.example\. TYPE999 has 4200 records, at most 4096 fit/i,
  },
  {
    rule: 'a type that clients cannot create',
    text: `${head('a.example.')}@ NSEC b A\n`,
    message: /^Malformed zonefile\. Line 4: 'NSEC' is not a record type/,
  },
  { rule: 'a zone of one label', text: head('example.'), message: /More than one label/ },
]

for (const { rule, text, message } of refusals) {
  t.test(`${rule}: the import ends in ERROR and leaves nothing`, async t => {
    const dns = await openDns()
    t.match(await imported(dns, text), { status: 'ERROR', message, zoneId: null })
    t.equal(dns.store.count('zones', 'all', everything), 0)
  })
}

t.test('a file becomes a zone: SOA and apex NS are ours, all else is its own', async t => {
  const dns = await openDns()
  const text = `${head('a.example.')}@ NS ns.old.
  MX 10 mail
mail A 192.0.2.1
mail 60 A 192.0.2.2
mail A 192.0.2.1
sub NS ns.sub
ns.sub A 192.0.2.3
$GENERATE 1-3 host-$ A 192.0.2.$
other.example. A 192.0.2.9
OTHER.example. A 192.0.2.9
www CNAME Mail
`
  const row = await imported(dns, text)
  t.match(row, {
    status: 'COMPLETE',
    message:
      'a.example. imported; left out: a.example. NS (the name servers are those of the pool),' +
      ' other.example. A (outside the zone); changed: mail.a.example. A' +
      ' (the TTLs of its records differ, 60 is the lowest)',
  })
  const zone = dns.zones.get(one, row.zoneId ?? '')
  t.match(zone, { name: 'a.example.', email: 'd.ops@a.example', ttlSeconds: 900, type: 'PRIMARY' })
  t.notOk('isImporting' in zone)
  t.match(dns.zones.stateOf(zone), { status: 'ACTIVE' })
  const rows = [...dns.store.list('recordsets', 'byZone', zone.id)]
  const shown = rows
    .filter(({ isManaged }) => !isManaged)
    .map(({ name, type, ttlSeconds, records }) => `${name} ${ttlSeconds} ${type} ${records}`)
  t.same(shown.sort(), [
    'a.example. 600 MX 10 mail.a.example.',
    'host-1.a.example. 600 A 192.0.2.1',
    'host-2.a.example. 600 A 192.0.2.2',
    'host-3.a.example. 600 A 192.0.2.3',
    'mail.a.example. 60 A 192.0.2.1,192.0.2.2',
    'ns.sub.a.example. 600 A 192.0.2.3',
    'sub.a.example. 600 NS ns.sub.a.example.',
    'www.a.example. 600 CNAME Mail.a.example.',
  ])
  t.equal(rows.length, shown.length + 2)
  checkPublished(t, dns)
})

t.test('recordsets are listed in the order they begin in the file, however many', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
  const text = `${head('a.example.')}$GENERATE 1-750 h$ A 192.0.2.1\nh3 A 192.0.2.2\nx TXT y\n`
  const { zoneId } = await imported(dns, text)
  const rows = [...dns.store.list('recordsets', 'byZone', zoneId ?? '')]
  t.strictSame(
    rows.filter(({ isManaged }) => !isManaged).map(({ name }) => name.split('.')[0]),
    [...Array.from({ length: 750 }, (_, i) => `h${i + 1}`), 'x'],
  )
  t.strictSame(rows.find(({ name }) => name.startsWith('h3.'))?.records, ['192.0.2.1', '192.0.2.2'])
})

t.test("a TTL that the file does not say is the zone's, of several the lowest counts", async t => {
  const dns = await openDns()
  const text = `$ORIGIN a.example.
none A 192.0.2.1
some A 192.0.2.1
low 4294967295 IN A 192.0.2.1
low 70 IN A 192.0.2.2
low 65 IN A 192.0.2.2
@ IN SOA ns ops 1 2 3 4 5
some A 192.0.2.2
outside.example. A 192.0.2.1
outside.example. A 192.0.2.2
outside.example. SOA ns ops 1 2 3 4 5
www MX 1 mail
www MX 1 MAIL
`
  const { zoneId, message } = await imported(dns, text)
  t.match(
    message,
    /left out: outside\.example\. A \(outside the zone\), outside\.example\. SOA \(outside the zone\); changed: low/,
  )
  t.equal(dns.zones.get(one, zoneId ?? '').ttlSeconds, 65)
  const rows = [...dns.store.list('recordsets', 'byZone', zoneId ?? '')]
  const shown = rows.filter(({ isManaged }) => !isManaged)
  t.strictSame(
    shown.map(({ name, ttlSeconds, records }) => [name.split('.')[0], ttlSeconds, records.length]),
    [
      ['none', null, 1],
      ['some', 65, 2],
      ['low', 65, 2],
      ['www', 65, 1],
    ],
  )
})

t.test(
  'a project keeps its newest imports, those of earlier versions go a few at a time',
  async t => {
    const dns = await openDns()
    await dns.store.commit(tx => {
      for (let i = 0; i < maxTasksPerProject + 30; i += 1) {
        const stamp = { id: `i${i}`, version: 1, createdAt: i, updatedAt: null }
        const done = { status: 'COMPLETE', message: null, zoneId: null } as const
        tx.put('zoneImports', { ...stamp, ...done, projectId: 'one' })
      }
    })
    for (const { left, name } of [
      { left: maxTasksPerProject + 21, name: 'a.example.' },
      { left: maxTasksPerProject + 12, name: 'b.example.' },
    ]) {
      await imported(dns, head(name))
      t.equal(dns.store.count('zoneImports', 'byProject', 'one'), left)
    }
  },
)

t.test('a name that is taken, by whomever, is a duplicate', async t => {
  const dns = await openDns()
  await dns.zones.create(callerOf('two'), primary('a.example.'))
  const row = await imported(dns, head('A.example.'))
  t.match(row, { status: 'ERROR', message: 'Duplicate zone.' })
})

t.test('a file with more than the project may have leaves nothing', async t => {
  const dns = await openDns()
  const cases = [
    [{ zoneRecordsets: 3 }, 'Quota exceeded during zone import.'],
    [{ zoneRecordsets: 1 }, /than the project may have: its quota zone_recordsets is 1$/],
    [{ zoneRecords: 2 }, 'Quota exceeded during zone import.'],
    [{ recordsetRecords: 1 }, 'Quota exceeded during zone import.'],
  ] as const
  for (const [limits, message] of cases) {
    await dns.quotas.reset('one')
    await dns.quotas.set('one', limits)
    const row = await imported(
      dns,
      `${head('a.example.')}a A 192.0.2.1\na A 192.0.2.2\nb A 192.0.2.3\n`,
    )
    t.match(row, { status: 'ERROR', message })
    t.equal(dns.store.count('zones', 'all', everything), 0)
  }
})

t.test(
  'a name that belongs to a zone below is refused with its line, after the zone was begun',
  async t => {
    const dns = await openDns()
    await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
    await dns.zones.create(one, primary('sub.a.example.'))
    const text = `${head('a.example.')}$GENERATE 1-1200 h$ A 192.0.2.1\nx.sub A 192.0.2.1\n$GENERATE 1-250 i$ A 192.0.2.1\n`
    const row = await imported(dns, text)
    t.match(row, { status: 'ERROR', message: /^Malformed zonefile\. Line 5: .*child zone/ })
    t.equal(dns.store.count('zones', 'all', everything), 1)
    t.equal(dns.served.get(parseName('a.example.')), undefined)
  },
)

t.test('a TTL below the least is refused with its line, but not to an administrator', async t => {
  const dns = await openDns({ minTtlSeconds: 300 })
  const text = `${head('a.example.')}www A 192.0.2.1\nlow 60 A 192.0.2.1\n`
  const row = await imported(dns, text)
  t.match(row, { status: 'ERROR', message: /^Malformed zonefile\. Line 5: TTL is below/ })
  const admin = callerOf('one', 'admin')
  const { id } = await dns.zoneImports.create(admin, { pieces: piecesOf(text), attributes: {} })
  await dns.zoneImports.settled()
  t.equal(dns.zoneImports.get(one, id).status, 'COMPLETE')
})

t.test('a large zone is served when it is whole, and changed by nobody before', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
  const text = `${head('large.example.')}$GENERATE 1-20000 h$ A 192.0.2.1\n`
  const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
  const begun = () => [...dns.store.list('zones', 'importing', everything)][0]
  while (begun() === undefined) await new Promise(setImmediate)
  const zone = begun()
  if (zone === undefined) throw new Error('no zone')
  t.match(dns.zoneImports.get(one, id), { status: 'PENDING', message: null, zoneId: null })
  t.equal(dns.served.get(parseName('large.example.')), undefined)
  t.match(dns.zones.stateOf(zone), { status: 'PENDING', action: 'CREATE' })
  await t.rejects(
    dns.recordsets.create(one, zone.id, addresses('x.large.example.')),
    refusal('bad_request'),
  )
  await dns.zoneImports.settled()
  t.match(dns.zoneImports.get(one, id), { status: 'COMPLETE', zoneId: zone.id })
  t.equal(dns.store.count('recordsets', 'byZone', zone.id), 20_002)
  checkPublished(t, dns)
})

t.test('a zone that is deleted during its import goes, and the import says so', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
  const text = `${head('gone.example.')}$GENERATE 1-20000 h$ A 192.0.2.1\n`
  const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
  const begun = () => [...dns.store.list('zones', 'importing', everything)][0]
  while (begun() === undefined) await new Promise(setImmediate)
  await dns.zones.delete(one, begun()?.id ?? '')
  await dns.zoneImports.settled()
  await dns.removal.finishAll()
  t.match(dns.zoneImports.get(one, id), { status: 'ERROR', message: /deleted/ })
  t.equal(dns.store.count('zones', 'all', everything), 0)
})

t.test('what a restart cut short ends in ERROR, and its zone goes', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
  const text = `${head('cut.example.')}$GENERATE 1-20000 h$ A 192.0.2.1\n`
  const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
  while (dns.store.count('zones', 'importing', everything) === 0) {
    await new Promise(setImmediate)
  }
  await dns.zoneImports.close()
  t.equal(dns.store.count('zones', 'importing', everything), 1)
  await dns.zoneImports.recover(() => true)
  await dns.removal.finishAll()
  t.match(dns.zoneImports.get(one, id), { status: 'ERROR', message: /restarted/ })
  t.equal(dns.store.count('zones', 'all', everything), 0)
})

t.test(
  'the recovery of a start that could not write at first leaves what runs by then',
  async t => {
    const dns = await openDns()
    await dns.quotas.set('one', { zoneRecordsets: -1, zoneRecords: -1 })
    const text = `${head('new.example.')}$GENERATE 1-20000 h$ A 192.0.2.1\n`
    const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
    await dns.zoneImports.recover(() => true)
    while (dns.store.count('zones', 'importing', everything) === 0) {
      await new Promise(setImmediate)
    }
    await dns.zoneImports.recover(() => true)
    await dns.zoneImports.settled()
    t.match(dns.zoneImports.get(one, id), { status: 'COMPLETE' })
  },
)

t.test('an import is deleted once, whoever asks at the same time', async t => {
  const dns = await openDns()
  const { id } = await imported(dns, `${head('a.example.')}www A 192.0.2.1\n`)
  const [first, second] = await Promise.allSettled(
    [1, 2].map(() => dns.zoneImports.delete(one, id)),
  )
  t.equal(first?.status, 'fulfilled')
  t.match(second, { status: 'rejected', reason: { type: 'zone_import_not_found' } })
})

t.test('without room for a zone a file is refused before it waits', async t => {
  const dns = await openDns()
  await dns.quotas.set('one', { zones: 0 })
  await t.rejects(
    dns.zoneImports.create(one, { pieces: piecesOf(head('a.example.')), attributes: {} }),
    refusal('over_quota'),
  )
  t.equal(dns.store.count('zoneImports', 'all', everything), 0)
})

t.test(
  'timers, minimum and serial of the SOA are kept, and the serial goes on from there',
  async t => {
    const dns = await openDns()
    const text = '$ORIGIN a.example.\n@ 900 SOA ns.old. ops 2026112101 7200 1800 1209600 300\n'
    const { zoneId } = await imported(dns, text)
    const zone = dns.zones.get(one, zoneId ?? '')
    t.match(zone, {
      serial: 2_026_112_101,
      soaTimers: {
        refreshSeconds: 7200,
        retrySeconds: 1800,
        expireSeconds: 1_209_600,
        minimumSeconds: 300,
      },
    })
    const rows = [...dns.store.list('recordsets', 'byZone', zone.id)]
    const soa = rows.find(({ type }) => type === 'SOA')
    t.match(soa?.records[0], / 2026112101 7200 1800 1209600 300$/)
    await dns.recordsets.create(one, zone.id, addresses('x.a.example.'))
    t.equal(dns.zones.get(one, zone.id).serial, 2_026_112_102)
    checkPublished(t, dns)
  },
)

t.test('a zone that is imported again goes on from its former serial, and says so', async t => {
  const dns = await openDns()
  const text = '$ORIGIN a.example.\n@ 900 SOA ns.old. ops 2026112101 7200 1800 1209600 300\n'
  const { zoneId } = await imported(dns, text)
  await dns.recordsets.create(one, zoneId ?? '', addresses('x.a.example.'))
  await dns.zones.delete(one, zoneId ?? '')
  const note = /SOA \(the serial 2026112101 is not newer than 2026112103, so the zone goes on/
  const file = { pieces: piecesOf(text), attributes: {}, isDryRun: true }
  const { id } = await dns.zoneImports.create(one, file)
  await dns.zoneImports.settled()
  t.match(dns.zoneImports.get(one, id).message, note)
  const again = await imported(dns, text)
  t.match(again.message, note)
  t.equal(dns.zones.get(one, again.zoneId ?? '').serial, 2_026_112_103)
})

t.test('a network smaller than an octet may have its address in it, as RFC 2142 says', async t => {
  for (const rname of ['.', 'hostmaster.0/25.2.0.192.in-addr.arpa.']) {
    const text = `$ORIGIN 0/25.2.0.192.in-addr.arpa.\n@ 60 IN SOA ns.a.example. ${rname} 1 2 3 4 5\n`
    t.match(await imported(await openDns(), text), { status: 'COMPLETE' }, rname)
  }
})

t.test('an SOA without an address is taken, and gets the one of RFC 2142', async t => {
  const dns = await openDns()
  const row = await imported(dns, '$ORIGIN a.example.\n@ 60 SOA ns.a.example. . 1 2 3 4 5\n')
  t.match(row, { status: 'COMPLETE', message: /changed: a\.example\. SOA \(without an address/ })
  t.equal(dns.zones.get(one, row.zoneId ?? '').email, 'hostmaster@a.example')
})

t.test('a file without $ORIGIN is read with an origin given beside it', async t => {
  const dns = await openDns()
  const text = '@ 60 SOA ns ops 1 2 3 4 5\nwww 60 A 192.0.2.1\n'
  const { id } = await dns.zoneImports.create(one, {
    pieces: piecesOf(text),
    attributes: {},
    origin: 'a.example',
  })
  await dns.zoneImports.settled()
  t.match(dns.zoneImports.get(one, id), { status: 'COMPLETE', message: /^a\.example\. imported/ })
  await t.rejects(
    dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {}, origin: 'a..example' }),
    refusal('bad_request'),
  )
})

t.test(
  'the report names a hundred of each sort and counts all, the message names three',
  async t => {
    const dns = await openDns()
    const row = await imported(
      dns,
      `${head('a.example.')}$GENERATE 1-150 h$.b.example. A 192.0.2.1\n`,
    )
    t.match(row.message, /left out: h1\.b\.example\. A .*h3\.b\.example\. A .*, 147 more$/)
    t.equal(row.report?.leftOut.count, 150)
    t.equal(row.report?.leftOut.named.length, 100)
  },
)

t.test(
  'a file may have names that are escaped, which are served and changed like others',
  async t => {
    const dns = await openDns()
    const text = `${head('a.example.')}x\\.b A 192.0.2.1\n-y A 192.0.2.2\nsp\\032ace A 192.0.2.3\na.* A 192.0.2.4\n`
    const row = await imported(dns, text)
    t.equal(row.status, 'COMPLETE', row.message ?? '')
    t.same((await dns.consistency.check()).findings, [])
    const rows = [...dns.store.list('recordsets', 'byZone', row.zoneId ?? '')]
    const names = rows.filter(({ isManaged }) => !isManaged).map(({ name }) => name)
    t.strictSame(names, [
      String.raw`x\046b.a.example.`,
      '-y.a.example.',
      String.raw`sp\032ace.a.example.`,
      'a.*.a.example.',
    ])
    checkPublished(t, dns)
    const [first] = rows.filter(({ isManaged }) => !isManaged)
    const place = { zoneId: row.zoneId ?? '', id: first?.id ?? '' }
    await dns.recordsets.update(one, place, {
      name: String.raw`x\.b.a.example.`,
      records: ['192.0.2.9'],
    })
    await t.rejects(
      dns.recordsets.create(one, place.zoneId, addresses(String.raw`\120\.b.a.example.`)),
      refusal('duplicate_recordset'),
    )
    checkPublished(t, dns)
  },
)

t.test(
  'a dot within a label is no cut: neither a zone below nor one above is meant by it',
  async t => {
    const dns = await openDns()
    const { id } = await dns.zones.create(one, primary('example.com.'))
    await dns.zones.create(one, primary('b.example.com.'))
    await dns.recordsets.create(one, id, addresses(String.raw`a\.b.example.com.`))
    await t.rejects(
      dns.recordsets.create(one, id, addresses(String.raw`a\.example.com.`)),
      refusal('invalid_recordset_location'),
    )
    checkPublished(t, dns)
  },
)

t.test('a signed file is kept as it is, and only another file changes its zone', async t => {
  const dns = await openDns()
  const signature = (type: string) =>
    `@ RRSIG ${type} 13 1 600 20300101000000 20200101000000 1 s.example. ${'A'.repeat(86)}==\n`
  const signed = (serial: number) =>
    `${head('s.example.').replace(' 7 ', ` ${serial} `)}@ NS ns.old.\n${signature('SOA')}` +
    `${signature('DNSKEY')}@ DNSKEY 257 3 13 ${'A'.repeat(86)}==\nMiXed 30 A 192.0.2.1\n@ NSEC mixed A RRSIG\n`
  const replaced = async (text: string) => {
    const { id } = await dns.zoneImports.create(one, {
      pieces: piecesOf(text),
      attributes: {},
      replaces: true,
    })
    await dns.zoneImports.settled()
    return dns.zoneImports.get(one, id)
  }
  const { zoneId } = await replaced(signed(7))
  const names = () =>
    [...dns.store.list('recordsets', 'byZone', zoneId ?? '')].map(({ type }) => type).sort()
  const zone = () => dns.zones.get(one, zoneId ?? '')
  t.same(names(), ['A', 'DNSKEY', 'NS', 'NSEC', 'RRSIG', 'SOA'])
  t.equal(zone().serial, 7)
  const refused = refusal('bad_request')
  await t.rejects(dns.recordsets.create(one, zone().id, addresses('www.s.example.')), refused)
  await t.rejects(dns.zones.touch(one, zone().id), refused)
  await t.rejects(dns.zones.update(one, zone().id, { ttlSeconds: 5 }), refused)
  t.equal((await dns.zones.update(one, zone().id, { description: 'x' })).serial, 7)
  t.match((await replaced(signed(6))).message, /serial 6 is not newer than 7/)
  t.equal((await replaced(signed(9))).status, 'COMPLETE')
  t.equal(zone().serial, 9)
  t.equal((await replaced(`${head('s.example.')}www A 192.0.2.1\n`)).status, 'COMPLETE')
  t.same(names(), ['A', 'NS', 'SOA'])
  await dns.recordsets.create(one, zone().id, { ...addresses('mail.s.example.') })
  checkPublished(t, dns)
})

t.test('changes that are not taken end an import, which says so once that is taken', async t => {
  const dns = await openDns()
  const { commit } = dns.store
  let refusals = 0
  const text = `${head('a.example.')}www A 192.0.2.1\n`
  const { id } = await dns.zoneImports.create(one, { pieces: piecesOf(text), attributes: {} })
  const refusing: Store['commit'] = change => {
    if (refusals === 2) return commit(change)
    refusals += 1
    return Promise.reject(new StoreUnavailableError('The change is not made'))
  }
  Object.assign(dns.store, { commit: refusing })
  await dns.zoneImports.settled()
  t.equal(refusals, 2, 'the changes, and then what became of them')
  t.match(dns.zoneImports.get(one, id), {
    status: 'ERROR',
    message: 'The changes were not taken. Import the file again.',
  })
  t.same([...dns.store.list('zones', 'all', everything)], [])
})
