import t from 'tap'
import type { ZoneFile } from '../../../src/service/zone-files/import-plan.ts'
import type { Store } from '../../../src/store/store.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { callerOf, openDns, piecesOf, primary, type TestDns } from '../../helpers/dns.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { checkPublished } from '../../helpers/publish-check.ts'

const one = callerOf('one')
const file = (body: string, serial = 1) =>
  `$ORIGIN a.example.\n$TTL 600\n@ SOA ns ops ${serial} 7200 900 99999 60\n${body}`

async function send(dns: TestDns, text: string, options: Partial<ZoneFile> = {}, caller = one) {
  const { id } = await dns.zoneImports.create(caller, {
    pieces: piecesOf(text),
    attributes: {},
    ...options,
  })
  await dns.zoneImports.settled()
  return dns.zoneImports.get(caller, id)
}

function shown(dns: TestDns, zoneId: string) {
  return [...dns.store.list('recordsets', 'byZone', zoneId)]
    .filter(({ isManaged }) => !isManaged)
    .map(({ name, type, ttlSeconds, records }) => `${name} ${ttlSeconds} ${type} ${records}`)
    .sort()
}

const before = file('keep A 192.0.2.1\nKEEP A 192.0.2.2\nold MX 1 mail\nchange 60 TXT a\n')
const after = file('keep A 192.0.2.2\nkeep A 192.0.2.1\nchange 300 TXT b\nnew A 192.0.2.9\n')

t.test('a zone becomes what a file says, and what stays keeps its id', async t => {
  const dns = await openDns()
  const { zoneId } = await send(dns, before)
  const id = zoneId ?? ''
  const rowOf = (label: string) =>
    [...dns.store.list('recordsets', 'byZone', id)].find(({ name }) =>
      name.toLowerCase().startsWith(`${label}.`),
    )
  const kept = rowOf('keep')
  const changed = rowOf('change')
  const { serial } = dns.zones.get(one, id)
  const row = await send(dns, after, { replaces: true })
  t.match(row, {
    status: 'COMPLETE',
    zoneId: id,
    message: /^a\.example\. replaced; recordsets new: 1, changed: 1, removed: 1$/,
  })
  t.same(shown(dns, id), [
    'change.a.example. 300 TXT "b"',
    'keep.a.example. 600 A 192.0.2.1,192.0.2.2',
    'new.a.example. 600 A 192.0.2.9',
  ])
  t.same(rowOf('keep'), kept, 'what is the same is not written')
  t.equal(rowOf('change')?.id, changed?.id)
  t.match(row.report?.difference, {
    changed: {
      named: [{ before: { ttlSeconds: 60, records: ['"a"'] }, after: { ttlSeconds: 300 } }],
    },
    removed: { named: [{ name: 'old.a.example.', type: 'MX', after: null }] },
  })
  const zone = dns.zones.get(one, id)
  t.match(zone, { soaTimers: { refreshSeconds: 7200, minimumSeconds: 60 }, ttlSeconds: 600 })
  t.ok(zone.serial > serial, 'a serial that is not newer is not taken')
  checkPublished(t, dns)
  await send(dns, file('', 2_026_112_101), { replaces: true })
  t.equal(dns.zones.get(one, id).serial, 2_026_112_101, 'one that is newer is')
  t.same(shown(dns, id), [])
  checkPublished(t, dns)
})

t.test('the same file again changes nothing, not even the serial', async t => {
  const dns = await openDns()
  const { zoneId } = await send(dns, before)
  const zone = dns.zones.get(one, zoneId ?? '')
  const row = await send(dns, before, { replaces: true })
  t.match(row, { status: 'COMPLETE', zoneId, message: /new: 0, changed: 0, removed: 0$/ })
  t.same(dns.zones.get(one, zone.id), zone)
  await send(dns, before.replace(' 60\n', ' 61\n'), { replaces: true })
  t.ok(dns.zones.get(one, zone.id).serial > zone.serial, 'another SOA is a change')
  checkPublished(t, dns)
})

t.test('a dry run shows the difference and changes nothing', async t => {
  const dns = await openDns()
  const fresh = await send(dns, before, { isDryRun: true })
  t.match(fresh, {
    status: 'COMPLETE',
    zoneId: null,
    message: /^a\.example\. would be imported; recordsets new: 3, changed: 0, removed: 0/,
  })
  t.equal(dns.store.count('zones', 'byProject', 'one'), 0)
  const { zoneId } = await send(dns, before)
  const stored = [...dns.store.list('recordsets', 'byZone', zoneId ?? '')]
  const row = await send(dns, after, { replaces: true, isDryRun: true })
  t.match(row, {
    status: 'COMPLETE',
    message: /^a\.example\. would be replaced; recordsets new: 1, changed: 1, removed: 1/,
  })
  t.same([...dns.store.list('recordsets', 'byZone', zoneId ?? '')], stored)
})

t.test('a dry run refuses what the import would refuse', async t => {
  const dns = await openDns()
  await dns.zones.create(callerOf('two'), primary('a.example.'))
  t.match(await send(dns, before, { isDryRun: true }), {
    status: 'ERROR',
    message: 'Duplicate zone.',
  })
  t.match(await send(dns, file('bad A x\n'), { isDryRun: true }), { message: /^Malformed/ })
})

t.test('only a zone of the own project is replaced, and without asking none is', async t => {
  const dns = await openDns()
  await send(dns, before)
  t.match(await send(dns, after), { status: 'ERROR', message: 'Duplicate zone.' })
  const other = await send(dns, after, { replaces: true }, callerOf('two'))
  t.match(other, { status: 'ERROR', message: 'Duplicate zone.' })
  t.match(await send(dns, file('', 9).replaceAll('a.example', 'new.example'), { replaces: true }), {
    status: 'COMPLETE',
    message: /^new\.example\. imported/,
  })
})

t.test(
  'a difference that is too large to be written at once is refused, and changes nothing',
  async t => {
    const dns = await openDns()
    const { zoneId } = await send(dns, before)
    const stored = shown(dns, zoneId ?? '')
    const row = await send(dns, file('$GENERATE 1-20001 h$ A 192.0.2.1\n'), { replaces: true })
    t.match(row, { status: 'ERROR', message: /more than 5000 recordsets/ })
    t.same(shown(dns, zoneId ?? ''), stored)
  },
)

/** A store that does something once, when recordsets are copied. */
function withInterruption() {
  const store = openMemoryStore({ clock: fakeClock() })
  let interruption: (() => void) | undefined
  const packedRecordsets: Store['packedRecordsets'] = zoneId => {
    const interrupt = interruption
    interruption = undefined
    interrupt?.()
    return store.packedRecordsets(zoneId)
  }
  const proxy = new Proxy(store, {
    get(target, name) {
      if (name === 'packedRecordsets') return packedRecordsets
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { store: proxy, interruptWith: (work: () => void) => (interruption = work) }
}

t.test('a change that comes between is not lost unseen: the zone is compared again', async t => {
  const { store, interruptWith } = withInterruption()
  const dns = await openDns({ store })
  const { zoneId } = await send(dns, before)
  const between = {
    name: 'between.a.example.',
    type: 'A',
    ttlSeconds: null,
    description: null,
    records: ['192.0.2.7'],
  }
  let created: Promise<unknown> = Promise.resolve()
  const run = send(dns, after, { replaces: true })
  interruptWith(() => {
    created = dns.recordsets.create(one, zoneId ?? '', between)
  })
  t.match(await run, { status: 'COMPLETE', message: /new: 1, changed: 1, removed: 2/ })
  await created
  t.equal(shown(dns, zoneId ?? '').length, 3)
  checkPublished(t, dns)
})
