import t from 'tap'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { parseRdata } from '../../../src/dns/rdata/index.ts'
import { ApiError } from '../../../src/errors.ts'
import type { Pool } from '../../../src/model/pool.ts'
import type { Recordset } from '../../../src/model/recordset.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { keyOf } from '../../../src/store/indexes.ts'
import { ObjectRows } from '../../../src/store/row-heap.ts'
import type { Rrset } from '../../../src/zone/rrset.ts'
import type { TableZone } from '../../../src/zone/table/table-zone.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { Dice } from '../../helpers/dice.ts'
import {
  addresses,
  callerOf,
  everyRow,
  openDns,
  primary,
  secondary,
  type TestDns,
  type TestDnsOptions,
} from '../../helpers/dns.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { until } from '../../helpers/until.ts'

const caller = callerOf('one')
const admin = callerOf('one', 'admin')

const nameOf = (label: string) => parseName(`${label}.example.com.`)

function addressesOf(address: string, ttlSeconds = 3600): Rrset {
  return { type: types.A, ttlSeconds, rdatas: [parseRdata(types.A, address)] }
}

/** example.com. with www and a.b, a deeper zone, and one that is not answered yet. */
async function openExample(options: TestDnsOptions = {}) {
  const dns = await openDns({ ...options, targetNames: ['first', 'second'] })
  const zone = await dns.zones.create(caller, primary('example.com.'))
  const place = (name: string) => addresses(`${name}.example.com.`)
  const { recordset } = await dns.recordsets.create(caller, zone.id, place('www'))
  await dns.recordsets.create(caller, zone.id, place('a.b'))
  await dns.zones.create(caller, primary('sub.example.org.'))
  await dns.zones.create(caller, secondary('copy.example.net.'))
  const served = dns.served.get(parseName('example.com.'))
  if (served === undefined) throw new Error('the zone is not served')
  return { dns, zone, recordset, served }
}

type Example = {
  readonly dns: TestDns
  readonly zone: Zone
  readonly recordset: Recordset
  readonly served: TableZone
}

/** The findings as lines. */
async function linesOf({ consistency }: TestDns): Promise<string[]> {
  const { findings } = await consistency.check()
  return findings.map(({ kind, zone = '', name = '', type = '', problem }) =>
    [kind, zone, name, type, problem].filter(Boolean).join(' '),
  )
}

t.test('what is sound has no findings, and what was looked at is counted', async t => {
  const { dns } = await openExample()
  t.match(await dns.consistency.check(), {
    zoneCount: 3,
    recordsetCount: 6,
    // Two apexes, www, a.b, and b above it.
    nameCount: 5,
    unsettledCount: 0,
    findings: [],
    omittedCount: 0,
  })
})

/** What each damage must be called; a damage may have other findings beside. */
const damages: readonly [what: string, (example: Example) => unknown, finding: RegExp][] = [
  [
    'a recordset is not answered',
    ({ served }) => served.removeRrset(nameOf('www'), types.A),
    /^served example\.com\. www\.example\.com\. A it is not answered$/,
  ],
  [
    'another TTL is answered',
    ({ served }) => served.putRrset(nameOf('www'), addressesOf('192.0.2.1', 60)),
    /^served example\.com\. www\.example\.com\. A its TTL is 60 in answers, and 3600 as stored$/,
  ],
  [
    'another record is answered',
    ({ served }) => served.putRrset(nameOf('www'), addressesOf('192.0.2.9')),
    /^served .* www\.example\.com\. A its records in answers are not those that are stored$/,
  ],
  [
    'another serial is answered',
    ({ served }) => {
      const soa = served.findRrset(served.apex, types.SOA)
      const rdatas = [parseRdata(types.SOA, 'ns1.example. a.example. 9 1 1 1 1')]
      if (soa !== undefined) served.putRrset(served.apex, { ...soa, rdatas })
    },
    /^served example\.com\. example\.com\. SOA its records in answers/,
  ],
  [
    'a recordset is answered that is not stored',
    ({ served }) => served.putRrset(nameOf('extra'), addressesOf('192.0.2.1')),
    /^served example\.com\. extra\.example\.com\. A it is answered, and is not stored$/,
  ],
  [
    'a zone is not answered by one of the targets',
    ({ dns }) => dns.targets[1]?.zones.withdraw(parseName('example.com.')),
    /^served example\.com\. the zone is not answered$/,
  ],
  [
    'a zone is answered that is not stored',
    ({ dns }) => dns.served.publish(otherZone(dns, 'other.example.')),
    /^served other\.example\. the zone is answered, and no such zone is stored$/,
  ],
  [
    'two targets answer from different zones',
    ({ dns }) => dns.targets[1]?.zones.publish(otherZone(dns, 'example.com.')),
    /^served example\.com\. the zone is answered from something else than on other servers$/,
  ],
  [
    'a zone is answered as if it had expired',
    ({ served }) => {
      served.isExpired = true
    },
    /^served example\.com\. the zone is answered as if it were expired, and is not$/,
  ],
  [
    'a zone without a transfer is answered',
    ({ dns }) => dns.served.publish(otherZone(dns, 'copy.example.net.')),
    /^served copy\.example\.net\. the zone is answered, and should not be$/,
  ],
  [
    'a row was changed in place',
    ({ recordset }) => Object.assign(recordset, { name: 'gone.example.com.' }),
    /^index byNameAndType: it is not found by its key$/,
  ],
  [
    'a sum is wrong',
    ({ recordset }) => Object.assign(recordset, { records: [] }),
    /^index recordsOfZone: the sum is 2, but the rows add up to 1/,
  ],
  [
    'a recordset has no zone',
    ({ dns, recordset }) => put(dns, { ...recordset, id: 'orphan', zoneId: 'no-zone' }),
    /^reference it names no-zone of zones, which does not exist$/,
  ],
  [
    'two zones have one name on one server',
    ({ dns, zone }) =>
      dns.store.commit(tx => {
        tx.put('pools', { ...poolOf(dns, zone), id: 'beside', name: 'beside' })
        tx.put('zones', { ...zone, id: 'z', name: 'sub.example.org.', poolId: 'beside' })
      }),
    /^zone sub\.example\.org\. zone \S+ has the same name on the same server$/,
  ],
  [
    'a CNAME is beside other data',
    ({ dns, recordset }) =>
      put(dns, { ...recordset, id: 'alias', type: 'CNAME', records: ['example.net.'] }),
    /^recordset example\.com\. www\.example\.com\. A, CNAME what is at this name is not sound: cname-and/,
  ],
  [
    'a record has no mark',
    ({ dns, recordset }) =>
      put(dns, { ...recordset, recordMarks: { nextNumber: 1, ofValues: [] } }),
    /^recordset example\.com\. www\.example\.com\. A 0 of its 1 records have a mark$/,
  ],
  [
    'a recordset is below a DNAME',
    ({ dns, recordset }) =>
      put(dns, { ...recordset, id: 'd', name: 'b.example.com.', type: 'DNAME', records: ['x.'] }),
    /^recordset .* a\.b\.example\.com\. A there is a DNAME above it, at b\.example\.com\.$/,
  ],
  [
    'a recordset is outside its zone',
    ({ dns, recordset }) => put(dns, { ...recordset, id: 'far', name: 'example.net.' }),
    /^recordset example\.com\. example\.net\. A its name is outside the zone$/,
  ],
  [
    'a record cannot be read',
    ({ dns, recordset }) => put(dns, { ...recordset, id: 'x', type: 'MX', records: ['192.0.2.1'] }),
    /^recordset example\.com\. www\.example\.com\. MX .*a record is left out/,
  ],
  [
    'the NS of the apex is gone',
    ({ dns, zone }) => dns.store.commit(tx => tx.delete('recordsets', managed(dns, zone, 'NS').id)),
    /^zone example\.com\. example\.com\. NS the zone does not have it$/,
  ],
  [
    'the SOA has another serial than its zone',
    ({ dns, zone }) => {
      const soa = managed(dns, zone, 'SOA')
      return put(dns, { ...soa, records: soa.records.map(text => text.replace(/ \d+ /, ' 7 ')) })
    },
    /^zone example\.com\. example\.com\. SOA it is .* 7 .*, and should be /,
  ],
  [
    'the NS of the apex can be changed',
    ({ dns, zone }) => put(dns, { ...managed(dns, zone, 'NS'), isManaged: false }),
    /^zone example\.com\. example\.com\. NS it can be changed by clients$/,
  ],
]

for (const [what, damage, finding] of damages) {
  t.test(`it is found that ${what}`, async t => {
    // Kept as they are given, rows can be changed in place.
    const store = openMemoryStore({ clock: fakeClock(), recordsets: new ObjectRows() })
    const example = await openExample({ store })
    await damage(example)
    const { findings } = await example.dns.consistency.check()
    t.ok(findings.every(({ remedy }) => remedy.length > 0))
    const lines = await linesOf(example.dns)
    t.ok(
      lines.some(line => finding.test(line)),
      `${finding} in\n${lines.join('\n')}`,
    )
  })
}

t.test('more than a thousand findings are counted, not reported', async t => {
  const { dns, recordset } = await openExample()
  await dns.store.commit(tx => {
    for (let i = 0; i < 1200; i += 1) {
      tx.put('recordsets', { ...recordset, id: `orphan-${i}`, zoneId: `no-zone-${i}` })
    }
  })
  const { findings, omittedCount } = await dns.consistency.check()
  t.equal(findings.length, 1000)
  t.equal(omittedCount, 200)
})

t.test('a zone on its way out or half copied is not compared with what is answered', async t => {
  const { dns, zone } = await openExample()
  await dns.store.commit(tx => {
    const copy = tx.find('zones', 'byName', keyOf(zone.poolId, 'copy.example.net.'))
    if (copy?.transfer === undefined) throw new Error('no such zone')
    tx.put('zones', { ...copy, transfer: { ...copy.transfer, isReplacing: true } })
    tx.put('zones', { ...zone, isDeleting: true })
  })
  t.match(await dns.consistency.check(), { unsettledCount: 1, findings: [] })
})

t.test('changes that are made during a check are no findings', async t => {
  const dns = await openDns({ targetNames: ['first', 'second'] })
  const zones = await Promise.all(
    ['large.example.', 'small.example.'].map(name => dns.zones.create(caller, primary(name))),
  )
  const labels = 1500
  const [large] = zones
  for (let i = 0; i < labels; i += 1) {
    await dns.recordsets.create(caller, large?.id ?? '', addresses(`h${i}.large.example.`))
  }
  const dice = new Dice(1)
  let isOver = false
  let changes = 0
  const changeOn = async () => {
    while (!isOver) {
      await changeSomething(dns, { zone: dice.pick(zones), dice, labels }).catch(ignoreRefusal)
      changes += 1
      // Commits to memory resolve without ever letting the event loop go on.
      if (changes % 20 === 0) await new Promise(resolve => setImmediate(resolve))
    }
  }
  const changing = Promise.all([changeOn(), changeOn(), changeOn()])
  for (let round = 0; round < 5; round += 1) {
    const before = changes
    t.same((await dns.consistency.check()).findings, [], `round ${round}`)
    t.ok(changes > before, 'changes were made meanwhile')
  }
  isOver = true
  await changing
})

t.test('who asks while a check is under way gets the next one, together with others', async t => {
  const { dns, served } = await openExample()
  const running = dns.consistency.check()
  // It begins.
  await Promise.resolve()
  const second = dns.consistency.check()
  const third = dns.consistency.check()
  t.equal(second, third)
  t.not(second, running)
  t.same((await running).findings, [])
  served.removeRrset(nameOf('www'), types.A)
  t.equal((await second).findings.length, 1, 'which has begun after they asked')
  t.equal((await dns.consistency.check()).findings.length, 1)
})

t.test('zones of pools with listeners of their own are compared there', async t => {
  const { dns } = await openExample()
  t.teardown(() => dns.servers.close())
  const pool = await dns.pools.create({
    name: 'own',
    description: null,
    projectId: null,
    provisioner: null,
    attributes: { listen: '127.0.0.1:0' },
    nsRecords: [{ hostname: 'ns1.example.net.', priority: 1 }],
  })
  const attributes = { pool_id: pool.id }
  await dns.zones.create(admin, primary('own.example.', { attributes }))
  t.same(await linesOf(dns), [])
  dns.servers.zonesOf(pool.id).withdraw(parseName('own.example.'))
  t.same(await linesOf(dns), ['served own.example. the zone is not answered'])
})

t.test('what the server makes of a zone that it signs is no finding', async t => {
  const { dns, zone } = await openExample()
  await dns.dnssec.enable(caller, zone.id, { policyId: 'nsec3' })
  await until(
    async () => dns.dnssec.get(caller, zone.id).status,
    status => status === 'SIGNED',
  )
  t.same(await linesOf(dns), [])
  // Once every cache has the DNSKEY, the parent is asked for a DS: CDS and CDNSKEY are there.
  for (let day = 0; day < 3; day += 1) {
    await dns.dnssec.rolls.step(zone.id)
    dns.clock.advanceMillis(86_400_000)
  }
  const served = dns.served.get(parseName(zone.name))
  t.ok(served?.findRrset(served.apex, types.CDS))
  t.same(await linesOf(dns), [])
})

function otherZone({ table }: TestDns, name: string): TableZone {
  const rdatas = [parseRdata(types.SOA, '. . 1 1 1 1 1')]
  return table.createZone({ owner: parseName(name), type: types.SOA, ttlSeconds: 1, rdatas })
}

function poolOf({ store }: TestDns, { poolId }: Zone): Pool {
  const pool = store.get('pools', poolId)
  if (pool === undefined) throw new Error('the zone has no pool')
  return pool
}

function put({ store }: TestDns, row: Recordset): Promise<Recordset> {
  return store.commit(tx => tx.put('recordsets', row))
}

function managed({ store }: TestDns, zone: Zone, type: string): Recordset {
  const row = store.find('recordsets', 'byNameAndType', keyOf(zone.id, zone.name, type))
  if (row === undefined) throw new Error(`the zone has no ${type}`)
  return row
}

async function changeSomething(
  { recordsets, zones }: TestDns,
  { zone, dice, labels }: { zone: Zone | undefined; dice: Dice; labels: number },
): Promise<void> {
  if (zone === undefined) return
  const name = `h${dice.below(labels)}.${zone.name}`
  const { rows } = await recordsets.list(zone, { ...everyRow, name })
  const [row] = rows
  if (dice.below(100) === 0) await zones.update(caller, zone.id, { ttlSeconds: dice.below(900) })
  else if (row === undefined) await recordsets.create(caller, zone.id, addresses(name))
  else if (dice.below(2) === 0) {
    await recordsets.delete(caller, { zoneId: zone.id, id: row.id })
  } else {
    const records = [`192.0.2.${dice.below(250)}`]
    await recordsets.update(caller, { zoneId: zone.id, id: row.id }, { records })
  }
}

function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError)) throw error
}
