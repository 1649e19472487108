import t, { type Test } from 'tap'
import { Bulk } from '../../../src/bulk/bulk.ts'
import { alone } from '../../../src/cluster/cluster.ts'
import { ChangingDuty } from '../../../src/cluster/duty.ts'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import type { Recordset } from '../../../src/model/recordset.ts'
import type { Zone } from '../../../src/model/zone.ts'
import { zoneState } from '../../../src/model/zone-state.ts'
import type { SecondaryEvent } from '../../../src/service/secondaries/master-refresh.ts'
import {
  Secondaries,
  type SecondariesOptions,
} from '../../../src/service/secondaries/secondaries.ts'
import type { Commit, Store } from '../../../src/store/store.ts'
import type { TransferRequest, TransferResult } from '../../../src/zone/transfer-in.ts'
import { fakeClock, testNowMillis } from '../../helpers/clock.ts'
import { openMemoryStore } from '../../helpers/memory-store.ts'
import { failedWith, ScriptedClient, transferred } from '../../helpers/scripted-client.ts'
import { newSecondary, secondaryId } from '../../helpers/secondary-zone.ts'
import { noQuota, piecesOf, recordsFromText, transferMessage } from '../../helpers/transfer.ts'
import { until } from '../../helpers/until.ts'

const second = 1e6
const soa = '@ 300 SOA ns.example. host.example. 7 3600 600 86400 60'
const newerSoa = soa.replace(' 7 ', ' 8 ')
const zoneText = `${soa}\n@ 300 NS ns\nns 300 A 192.0.2.1\nwww 60 A 192.0.2.2\nwww 60 A 192.0.2.3`

const hungUp = { kind: 'failed', failure: { kind: 'closed', reason: 'hung up' } } as const

const startMillis = testNowMillis

type Bench = {
  readonly store: Store
  readonly client: ScriptedClient
  readonly secondaries: Secondaries
  readonly events: SecondaryEvent[]
  readonly commits: Commit[]
  /** Moves the clock and lets what is then due happen. */
  pass(seconds: number): Promise<void>
  zone(id?: string): Zone
}

async function bench(
  t: Test,
  zones: readonly Zone[] = [newSecondary()],
  options: Partial<SecondariesOptions> = {},
): Promise<Bench> {
  const clock = fakeClock(startMillis)
  const store = openMemoryStore({ clock })
  const commits: Commit[] = []
  const events: SecondaryEvent[] = []
  await store.commit(tx => {
    for (const zone of zones) tx.put('zones', zone)
  })
  store.setCommitListener(commit => void commits.push(commit))
  const client = new ScriptedClient(() => transferred(zoneText))
  const secondaries = new Secondaries({
    cluster: alone,
    bulk: new Bulk({ maxThreads: 0 }),
    store,
    clock,
    client,
    random: () => 0,
    onEvent: event => events.push(event),
    ...options,
  })
  t.teardown(() => secondaries.close())
  return {
    store,
    client,
    secondaries,
    events,
    commits,
    async pass(seconds) {
      clock.advanceMillis(seconds * 1000)
      await secondaries.refreshDue()
      await secondaries.settled()
    },
    zone: (id = secondaryId(1)) => store.get('zones', id)!,
  }
}

/** An answer to IXFR from serial 7. */
function differenceOf(text: string): TransferResult {
  const zone = parseName('example.')
  const records = recordsFromText(zone, text)
  const pieces = piecesOf([transferMessage({ id: 1, zone, type: types.IXFR, records })])
  const limits = { maxRecords: 1e6, maxOctets: 1e9 }
  const bounds = { limits, quota: noQuota, hashSeed: 1, knownSerial: 7 }
  return { kind: 'received', transfer: { zone, id: 1, type: types.IXFR, pieces, ...bounds } }
}

function recordsetsOf(store: Store): Recordset[] {
  return [...store.list('recordsets', 'byZone', secondaryId(1))].sort((a, b) =>
    `${a.name} ${a.type}` < `${b.name} ${b.type}` ? -1 : 1,
  )
}

function linesOf(store: Store): string[] {
  return recordsetsOf(store).map(({ name, type, ttlSeconds, records }) =>
    [name, ttlSeconds, type, ...records].join(' '),
  )
}

t.test(
  'a new zone is transferred: recordsets in presentation form, kept by the server',
  async t => {
    const { store, client, events, pass, zone } = await bench(t)
    client.script = () => transferred(`${zoneText}\nodd 60 TYPE65400 \\# 2 abcd`)
    await pass(0)
    t.strictSame(linesOf(store), [
      'example. 300 NS ns.example.',
      'example. 300 SOA ns.example. host.example. 7 3600 600 86400 60',
      'ns.example. 300 A 192.0.2.1',
      'odd.example. 60 TYPE65400 \\# 2 abcd',
      'www.example. 60 A 192.0.2.2 192.0.2.3',
    ])
    t.ok(recordsetsOf(store).every(row => row.isManaged))
    const { serial, transferredAt, soaTimers, transfer } = zone()
    t.match(
      { serial, soaTimers },
      { serial: 7, soaTimers: { refreshSeconds: 3600, expireSeconds: 86_400 } },
    )
    t.ok(transferredAt !== null && transferredAt >= startMillis * 1000)
    t.match(transfer, {
      failureCount: 0,
      failure: null,
      nextRefreshAt: transferredAt! + 3600 * second,
    })
    t.match(events, [{ kind: 'transferred', serial: 7, master: '192.0.2.1', changeCount: 5 }])
    t.match(client.asked, [{ master: { host: '192.0.2.1', port: 53 }, knownSerial: undefined }])
  },
)

t.test('a newer serial changes what differs, in one commit with the zone', async t => {
  const { store, client, commits, pass, zone } = await bench(t)
  await pass(0)
  const before = new Map(recordsetsOf(store).map(row => [`${row.name} ${row.type}`, row]))
  client.script = () =>
    transferred(`${newerSoa}\n@ 300 NS ns\nwww 60 A 192.0.2.3\nwww 60 A 192.0.2.2\nnew 5 TXT "x"`)
  commits.length = 0
  await pass(3601)
  t.equal(client.asked.at(-1)?.knownSerial, 7)
  t.strictSame(linesOf(store), [
    'example. 300 NS ns.example.',
    'example. 300 SOA ns.example. host.example. 8 3600 600 86400 60',
    'new.example. 5 TXT "x"',
    'www.example. 60 A 192.0.2.2 192.0.2.3',
  ])
  for (const row of recordsetsOf(store)) {
    const old = before.get(`${row.name} ${row.type}`)
    if (row.type !== 'SOA' && old !== undefined)
      t.strictSame(row, old, 'an equal recordset stays as it is')
  }
  t.equal(commits.length, 1)
  t.strictSame(commits[0]?.changes.map(change => change.collection).sort(), [
    'recordsets',
    'recordsets',
    'recordsets',
    'zones',
  ])
  t.equal(zone().serial, 8)
})

t.test('where the changes do not come, the whole zone is asked for at once', async t => {
  const { client, events, pass, zone } = await bench(t)
  await pass(0)
  client.script = ({ isWhole }) =>
    isWhole ? transferred(newerSoa + zoneText.slice(soa.length)) : { ...hungUp, isOfChanges: true }
  await pass(3601)
  t.match(client.asked.slice(1), [{ knownSerial: 7 }, { isWhole: true }])
  t.match(zone(), { serial: 8, transfer: { failure: null } })
  client.script = () => hungUp
  events.length = 0
  await pass(3601)
  t.equal(client.asked.length, 4, 'a master that cannot be reached is not asked twice')
  t.match(events, [{ kind: 'failed', reason: /hung up/ }])
})

t.test('an equal serial is contact and no change', async t => {
  const { store, client, commits, pass, zone } = await bench(t)
  await pass(0)
  const { updatedAt } = zone()
  client.script = () => ({ kind: 'current', serial: 7 })
  commits.length = 0
  await pass(3601)
  t.equal(commits.length, 1)
  t.equal(commits[0]?.changes.length, 1)
  t.equal(zone().updatedAt, updatedAt)
  t.equal(zone().transfer?.refreshedAt, (startMillis + 3_601_000) * 1000)
  t.equal(linesOf(store).length, 4)
  await pass(3598)
  t.equal(client.asked.length, 2)
  await pass(3)
  t.equal(client.asked.length, 3)
})

t.test(
  'a failure leaves the copy, says why, and is tried again after SOA retry, no sooner',
  async t => {
    const { store, client, events, pass, zone } = await bench(t)
    await pass(0)
    const lines = linesOf(store)
    client.script = () => failedWith('the master answers REFUSED')
    await pass(3601)
    t.strictSame(linesOf(store), lines)
    t.match(zone(), {
      serial: 7,
      transfer: {
        failureCount: 1,
        failure: '192.0.2.1: the master answers REFUSED',
        isExpired: false,
      },
    })
    t.match(events.at(-1), { kind: 'failed', reason: /REFUSED/, isRepeated: false })
    for (let i = 0; i < 5; i += 1) await pass(119)
    t.equal(client.asked.length, 2)
    await pass(6)
    t.equal(client.asked.length, 3)
    t.match(events.at(-1), { kind: 'failed', failureCount: 2, isRepeated: true })
    t.equal(zone().transfer?.failureCount, 2)
    client.script = () => transferred(`${newerSoa}\n@ 300 NS ns`)
    await pass(601)
    t.match(zone(), { serial: 8, transfer: { failureCount: 0, failure: null } })
  },
)

/** Masters whose zones have these serials; those without fail. */
function mastersWith(serials: Readonly<Record<string, number>>) {
  return ({
    master,
    knownSerial,
  }: {
    master: { host: string }
    knownSerial?: number | undefined
  }) => {
    const serial = serials[master.host]
    if (serial === undefined) return failedWith('says no')
    if (serial === knownSerial) return { kind: 'current' as const, serial }
    return transferred(`${soa.replace(' 7 ', ` ${serial} `)}\n@ 300 NS ns`)
  }
}

t.test('of several masters the one with the newest serial gives the zone (RFC 1982)', async t => {
  const masters = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4:5300']
  const { client, pass, zone } = await bench(t, [newSecondary({ masters })])
  const newest = 0xffff_ffff
  client.script = mastersWith({ '192.0.2.1': 7, '192.0.2.2': newest, '192.0.2.3': 9 })
  await pass(0)
  t.strictSame(client.askedForSerial, ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'])
  t.strictSame(client.askedHosts, ['192.0.2.3'])
  const failure = '192.0.2.4:5300: says no'
  t.match(zone(), { serial: 9, transfer: { failure, told: failure, failureCount: 0 } })
})

t.test('where the newest cannot be had, the next newest is', async t => {
  const masters = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  const { client, pass, zone } = await bench(t, [newSecondary({ masters })])
  const serials = mastersWith({ '192.0.2.1': 7, '192.0.2.2': 9, '192.0.2.3': 8 })
  client.script = request => {
    const isTransfer = client.asked.at(-1)?.master === request.master
    return isTransfer && request.master.host === '192.0.2.2' ? failedWith('no') : serials(request)
  }
  await pass(0)
  t.strictSame(client.askedHosts, ['192.0.2.2', '192.0.2.3'])
  t.match(zone(), { serial: 8, transfer: { failure: '192.0.2.2: no', failureCount: 0 } })
})

t.test('a master that has our serial is contact, whatever the others say', async t => {
  const masters = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
  const { client, pass, zone } = await bench(t, [newSecondary({ masters })])
  client.script = mastersWith({ '192.0.2.1': 7, '192.0.2.2': 7, '192.0.2.3': 7 })
  await pass(0)
  client.script = mastersWith({ '192.0.2.1': 6, '192.0.2.3': 7 })
  await pass(3601)
  t.equal(client.asked.length, 1)
  const failure =
    '192.0.2.1: the master has serial 6, which is older than 7 (`zone retransfer --whole` takes it); ' +
    '192.0.2.2: says no'
  t.match(zone().transfer, {
    refreshedAt: (startMillis + 3_601_000) * 1000,
    failureCount: 0,
    failure,
  })
  t.match(zoneState(zone(), [{ target: 'x', serial: 7, problem: undefined }]), {
    status: 'ACTIVE',
    reason: failure,
  })
  client.script = mastersWith({ '192.0.2.1': 6 })
  await pass(3601)
  t.match(zone().transfer, {
    failureCount: 1,
    failure: /older than 7 .*; .*2: says no; .*3: says no/,
  })
  client.script = mastersWith({ '192.0.2.1': 7, '192.0.2.2': 7, '192.0.2.3': 7 })
  await pass(601)
  t.match(zone().transfer, { failureCount: 0, failure: null })
})

t.test(
  'while no newer zone can be had, a master that has our serial keeps the copy alive',
  async t => {
    const masters = ['192.0.2.1', '192.0.2.2']
    const { client, events, pass, zone } = await bench(t, [newSecondary({ masters })])
    client.script = mastersWith({ '192.0.2.1': 7, '192.0.2.2': 7 })
    await pass(0)
    const serials = mastersWith({ '192.0.2.1': 7, '192.0.2.2': 8 })
    client.script = request => {
      const isTransfer = client.asked.at(-1)?.master === request.master
      return isTransfer ? failedWith('no') : serials(request)
    }
    for (let hours = 1; hours <= 48; hours += 1) await pass(3601)
    t.match(zone(), { serial: 7, transfer: { isExpired: false, failureCount: 48 } })
    t.equal(zone().transfer?.failure, '192.0.2.2: no')
    client.script = () => failedWith('gone')
    await pass(86_401)
    t.equal(zone().transfer?.isExpired, true)
    client.script = serials
    await pass(601)
    t.match(zone(), { serial: 8, transfer: { isExpired: false, failureCount: 0 } })
    t.equal(events.filter(({ kind }) => kind === 'expired').length, 1)
  },
)

t.test('a whole zone that is wished for replaces the copy, whatever its serial', async t => {
  for (const masters of [['192.0.2.1'], ['192.0.2.1', '192.0.2.2']]) {
    const { store, client, secondaries, zone } = await bench(t, [newSecondary({ masters })])
    client.script = ({ knownSerial }) => {
      t.equal(knownSerial, undefined)
      return transferred(zoneText)
    }
    await secondaries.refreshNow(secondaryId(1))
    const answer = Promise.withResolvers<void>()
    client.script = async ({ knownSerial }) => {
      await answer.promise
      return knownSerial === undefined
        ? transferred(`${soa.replace(' 7 ', ' 5 ')}\n@ 300 NS ns`)
        : failedWith('older')
    }
    client.asked.length = 0
    const reasons = ['wanted', 'notified', 'whole', 'wanted'] as const
    const wishes = reasons.map(reason => secondaries.refreshNow(secondaryId(1), reason))
    answer.resolve()
    await Promise.all(wishes)
    t.match(zone(), { serial: 5, transfer: { failure: null } })
    t.equal(recordsetsOf(store).length, 2)
  }
})

t.test('what masters say of EXPIRE is heeded, of several the longest', async t => {
  const { client, pass, zone } = await bench(t)
  client.script = () => ({ ...transferred(zoneText), expireSeconds: 8000 }) as TransferResult
  await pass(0)
  t.equal(zone().transfer?.expireSeconds, 8000)
  client.script = () => ({ kind: 'current', serial: 7, expireSeconds: 9000 })
  await pass(3601)
  t.equal(zone().transfer?.expireSeconds, 9000)
  client.script = () => ({ kind: 'current', serial: 7, expireSeconds: 10 })
  await pass(3601)
  t.equal(zone().transfer?.expireSeconds, 9000 - 3601)
  client.script = () => failedWith('gone')
  await pass(5400)
  t.equal(zone().transfer?.isExpired, true)

  const masters = ['192.0.2.1', '192.0.2.2']
  const several = await bench(t, [newSecondary({ masters })])
  await several.pass(0)
  for (const [answers, expected] of [
    [[100, 5000], 5000],
    [[100, undefined], undefined],
  ] as const) {
    several.client.askSerial = async ({ master }) => {
      const expireSeconds = answers[masters.indexOf(master.host)]
      return { kind: 'serial', serial: 7, ...(expireSeconds !== undefined && { expireSeconds }) }
    }
    await several.pass(84_000)
    t.equal(several.zone().transfer?.expireSeconds, expected)
  }
})

t.test('a master that says nothing holds up the others for a moment only', async t => {
  const masters = ['192.0.2.1', '192.0.2.2']
  const zones = [newSecondary({ masters })]
  const { client, secondaries, zone } = await bench(t, zones, { stragglersMs: 0 })
  const serials = mastersWith({ '192.0.2.2': 7 })
  client.script = (request, signal) =>
    request.master.host === '192.0.2.2'
      ? serials(request)
      : new Promise(resolve =>
          signal.addEventListener('abort', () => resolve(failedWith('aborted'))),
        )
  await secondaries.refreshNow(secondaryId(1))
  t.match(zone(), {
    serial: 7,
    transfer: { failure: '192.0.2.1: no answer for long after another master' },
  })
})

t.test('when all masters fail, each one says why', async t => {
  const masters = ['192.0.2.1', '192.0.2.2:5300']
  const { client, pass, zone, store } = await bench(t, [newSecondary({ masters })])
  client.script = ({ master }) => failedWith(`no ${master.port}`)
  await pass(0)
  t.equal(zone().transfer?.failure, '192.0.2.1: no 53; 192.0.2.2:5300: no 5300')
  t.equal(zone().transferredAt, null)
  t.equal(linesOf(store).length, 0)
})

t.test('a master that is no address is a failure like any other', async t => {
  const { client, pass, zone } = await bench(t, [newSecondary({ masters: ['no address', '::'] })])
  await pass(0)
  t.equal(client.asked.length, 0)
  t.match(zone().transfer?.failure, /^no address: not a host.*; ::: not a host/)
})

t.test('without contact for SOA expire the copy expires; contact brings it back', async t => {
  const { client, events, pass, zone, store } = await bench(t)
  await pass(0)
  client.script = () => failedWith('gone')
  await pass(86_398)
  t.equal(zone().transfer?.isExpired, false)
  await pass(3)
  t.match(zone().transfer, { isExpired: true, failure: /gone/ })
  t.equal(linesOf(store).length, 4, 'the recordsets are kept')
  const expirations = () => events.filter(event => event.kind === 'expired')
  t.match(expirations(), [{ reason: /gone/ }])
  await pass(601)
  t.equal(expirations().length, 1)
  client.script = () => ({ kind: 'current', serial: 7 })
  await pass(601)
  t.match(zone().transfer, { isExpired: false, failure: null })
})

t.test('short SOA timers: while its master answers, no copy ever expires', async t => {
  const { client, pass, zone } = await bench(t)
  client.script = ({ knownSerial }) =>
    knownSerial === undefined
      ? transferred(zoneText.replace('3600 600 86400', '10 10 30'))
      : { kind: 'current', serial: 7 }
  await pass(0)
  for (let seconds = 0; seconds < 600; seconds += 5) {
    await pass(5)
    t.notOk(zone().transfer?.isExpired, `${seconds} s`)
  }
  t.ok(client.asked.length > 5)
})

t.test('a transfer over quota asks no other master, and leaves the copy before', async t => {
  const masters = ['192.0.2.1', '192.0.2.2']
  const { client, store, pass, zone } = await bench(t, [newSecondary({ masters })])
  await pass(0)
  const lines = linesOf(store)
  client.script = ({ quota }) => ({
    kind: 'failed',
    failure: { kind: 'over-quota', reason: `over quota: ${quota?.maxRrsets}` },
  })
  client.askSerial = async () => ({ kind: 'serial', serial: 8 })
  client.asked.length = 0
  await pass(3601)
  t.strictSame(client.askedHosts, ['192.0.2.1'])
  t.strictSame(linesOf(store), lines)
  t.match(zone().transfer, { isOverQuota: true, told: '192.0.2.1: over quota: 500' })
  client.askSerial = async () => ({ kind: 'serial', serial: 7 })
  await pass(3601)
  t.notOk(zone().transfer?.isOverQuota)
})

t.test(
  'a NOTIFY of a master that has wasted time waits; who asks for a transfer does not',
  async t => {
    const { client, secondaries, pass } = await bench(t)
    client.script = () => ({ kind: 'failed', failure: { kind: 'silent', reason: 'slow' } })
    await pass(0)
    await secondaries.refreshNow(secondaryId(1), 'notified')
    t.equal(client.asked.length, 1)
    await secondaries.refreshNow(secondaryId(1))
    t.equal(client.asked.length, 2)
    client.script = () => failedWith('no')
    await pass(61)
    await secondaries.refreshNow(secondaryId(1), 'notified')
    t.equal(client.asked.length, 4)
  },
)

t.test('a NOTIFY during a transfer that wastes time does not have it begin again', async t => {
  const { client, secondaries } = await bench(t)
  const end = Promise.withResolvers<void>()
  client.script = async () => {
    await end.promise
    return { kind: 'failed', failure: { kind: 'silent', reason: 'slow' } }
  }
  const done = secondaries.refreshNow(secondaryId(1))
  await until(() => client.asked.length === 1)
  void secondaries.refreshNow(secondaryId(1), 'notified')
  end.resolve()
  await done
  t.equal(client.asked.length, 1)
})

t.test('copies that are under way hold their octets until they are written', async t => {
  const zones = [1, 2].map(i => newSecondary({ id: secondaryId(i), name: `z${i}.example.` }))
  const { store, client } = await bench(t, zones)
  const secondaries = new Secondaries({
    cluster: alone,
    bulk: new Bulk({ maxThreads: 0 }),
    store,
    clock: fakeClock(startMillis),
    client,
    random: () => 0,
    onEvent: () => undefined,
    maxHeldOctets: { each: 100, all: 100 },
  })
  t.teardown(() => secondaries.close())
  const first = Promise.withResolvers<void>()
  const rooms: boolean[] = []
  client.script = async ({ hold }) => {
    rooms.push(hold(60))
    if (rooms.length === 1) await first.promise
    return failedWith('done')
  }
  const one = secondaries.refreshNow(secondaryId(1))
  await until(() => client.asked.length === 1)
  await secondaries.refreshNow(secondaryId(2))
  first.resolve()
  await one
  await secondaries.refreshNow(secondaryId(2))
  t.strictSame(rooms, [true, false, true])
})

t.test('a difference holds its octets until it is written', async t => {
  const rooms: boolean[] = []
  let hold: TransferRequest['hold'] | undefined
  const { client, secondaries } = await bench(t, undefined, {
    maxHeldOctets: { each: 100, all: 100 },
    onEvent: ({ kind }) => {
      if (kind === 'transferred' && hold !== undefined) rooms.push(hold(60))
    },
  })
  await secondaries.refreshNow(secondaryId(1))
  client.script = request => {
    hold = request.hold
    rooms.push(hold(60))
    return differenceOf(`${newerSoa}\n${soa}\n${newerSoa}\nnew 60 A 192.0.2.9\n${newerSoa}`)
  }
  await secondaries.refreshNow(secondaryId(1))
  t.strictSame(rooms, [true, false])
})

t.test('a copy that comes for other masters than the zone has now is dropped', async t => {
  const { store, client, secondaries, zone } = await bench(t)
  const answer = Promise.withResolvers<void>()
  client.script = async () => {
    await answer.promise
    return transferred(zoneText)
  }
  const done = secondaries.refreshNow(secondaryId(1))
  await until(() => client.asked.length === 1)
  await store.commit(tx => tx.put('zones', { ...zone(), masters: ['192.0.2.9'] }))
  answer.resolve()
  await done
  t.equal(linesOf(store).length, 0)
  t.equal(zone().transfer?.failureCount, 0)
})

t.test('a zone that is deleted meanwhile stays so', async t => {
  const { store, client, secondaries, zone } = await bench(t)
  client.script = async () => {
    await store.commit(tx => tx.put('zones', { ...zone(), isDeleting: true }))
    return transferred(zoneText)
  }
  await secondaries.refreshNow(secondaryId(1))
  t.equal(linesOf(store).length, 0)
  await store.commit(tx => tx.delete('zones', secondaryId(1)))
  await secondaries.refreshNow(secondaryId(1))
  t.equal(client.asked.length, 1)
})

t.test('a wish during a transfer is granted after it, once for all', async t => {
  const { client, secondaries } = await bench(t)
  const answer = Promise.withResolvers<void>()
  let atOnce = 0
  client.script = async () => {
    atOnce += 1
    t.equal(atOnce, 1, 'one transfer at a time')
    await answer.promise
    atOnce -= 1
    return transferred(zoneText)
  }
  const first = secondaries.refreshNow(secondaryId(1))
  await until(() => client.asked.length === 1)
  const wishes = [1, 2, 3].map(() => secondaries.refreshNow(secondaryId(1)))
  await secondaries.refreshDue()
  answer.resolve()
  await Promise.all([first, ...wishes])
  t.equal(client.asked.length, 2)
})

t.test('transfers at once are bounded, in total and of one master', async t => {
  const zones = Array.from({ length: 30 }, (_, i) =>
    newSecondary({ id: secondaryId(i), name: `z${i}.example.`, masters: [`192.0.2.${i % 3}`] }),
  )
  const { client, secondaries } = await bench(t, zones)
  const held = Promise.withResolvers<void>()
  const perHost = new Map<string, number>()
  let most = 0
  let mostPerHost = 0
  client.script = async ({ master: { host } }) => {
    perHost.set(host, (perHost.get(host) ?? 0) + 1)
    most = Math.max(
      most,
      [...perHost.values()].reduce((sum, count) => sum + count),
    )
    mostPerHost = Math.max(mostPerHost, perHost.get(host) ?? 0)
    await held.promise
    perHost.set(host, (perHost.get(host) ?? 0) - 1)
    return failedWith('no')
  }
  await secondaries.refreshDue()
  await until(() => client.asked.length === 6)
  held.resolve()
  await secondaries.settled()
  t.equal(client.asked.length, zones.length)
  t.equal(mostPerHost, 2)
  t.equal(most, 6)
})

t.test('a copy that was cut short is fetched again, whatever its serial', async t => {
  const { store, client, secondaries, zone } = await bench(t)
  await secondaries.refreshNow(secondaryId(1))
  await store.commit(tx => {
    tx.put('zones', { ...zone(), transfer: { ...zone().transfer!, isReplacing: true } })
    const [some] = store.list('recordsets', 'byZone', secondaryId(1))
    tx.delete('recordsets', some!.id)
    tx.put('recordsets', { ...some!, name: 'left-over.example.', id: 'left-over' })
  })
  await secondaries.refreshNow(secondaryId(1))
  t.equal(client.asked.at(-1)?.knownSerial, undefined)
  t.strictSame(
    recordsetsOf(store).map(row => `${row.name} ${row.type}`),
    ['example. NS', 'example. SOA', 'ns.example. A', 'www.example. A'],
  )
  t.equal(zone().transfer?.isReplacing, false)
})

t.test('after a restart the waits go on where they were', async t => {
  const { store, client, pass } = await bench(t)
  await pass(0)
  const clock = fakeClock(startMillis + 2_000_000)
  const again = new Secondaries({
    cluster: alone,
    bulk: new Bulk({ maxThreads: 0 }),
    store,
    clock,
    client,
    random: () => 0,
    onEvent: event => t.fail(event.kind),
  })
  t.teardown(() => again.close())
  const passAgain = async (seconds: number) => {
    clock.advanceMillis(seconds * 1000)
    await again.refreshDue()
    await again.settled()
  }
  await passAgain(0)
  t.equal(client.asked.length, 1)
  client.script = () => ({ kind: 'current', serial: 7 })
  await passAgain(599)
  t.equal(client.asked.length, 1)
  await passAgain(1)
  t.equal(client.asked.length, 2, 'a NOTIFY missed before the start is made up for in SOA retry')
  await passAgain(1)
  t.equal(client.asked.length, 2)
})

t.test('a fault of our own is told and waits like a failure', async t => {
  const { client, events, pass, zone } = await bench(t)
  const fault = new Error('broken')
  client.script = () => Promise.reject(fault)
  await pass(0)
  t.match(events, [{ kind: 'broken', error: fault }, { kind: 'failed' }])
  t.match(zone().transfer, { failureCount: 1, failure: 'an internal error' })
  await pass(10)
  t.equal(client.asked.length, 1)
})

t.test('a store that takes no changes has nothing fetched for it', async t => {
  const { store, client, secondaries, pass } = await bench(t)
  await store.close()
  await pass(0)
  t.equal(client.asked.length, 0)
  t.ok(await secondaries.refreshNow(secondaryId(1)).then(() => true))
})

t.test('closing does not start what stands in line', async t => {
  const zones = Array.from({ length: 5 }, (_, i) =>
    newSecondary({ id: secondaryId(i), name: `z${i}.example.` }),
  )
  const { client, secondaries } = await bench(t, zones)
  client.script = (_request, signal) =>
    new Promise(resolve => signal.addEventListener('abort', () => resolve(failedWith('aborted'))))
  await secondaries.refreshDue()
  await until(() => client.asked.length === 2)
  await secondaries.close()
  t.equal(client.asked.length, 2)
})

t.test('closing ends transfers and writes nothing more', async t => {
  const { client, secondaries, commits, pass } = await bench(t)
  client.script = (_request, signal) =>
    new Promise(resolve => signal.addEventListener('abort', () => resolve(failedWith('aborted'))))
  const done = secondaries.refreshNow(secondaryId(1))
  await until(() => client.asked.length === 1)
  await secondaries.close()
  await done
  await pass(0)
  await secondaries.refreshNow(secondaryId(1))
  t.equal(commits.length, 0)
  t.equal(client.asked.length, 1)
})

t.test('a node without the duty passes on what it is asked for, and finishes nothing', async t => {
  const duty = new ChangingDuty()
  const passedOn: string[] = []
  const cluster = {
    duty,
    wantTransfer: (zoneId: string, reason: string) => void passedOn.push(`${zoneId} ${reason}`),
  }
  const { secondaries, client, zone } = await bench(t, [newSecondary()], { cluster })
  await secondaries.refreshNow(secondaryId(1))
  await secondaries.refreshNow(secondaryId(1), 'notified')
  t.strictSame(passedOn, [`${secondaryId(1)} wanted`, `${secondaryId(1)} notified`])
  t.equal(client.asked.length, 0)
  duty.take(1)
  const refresh = secondaries.refreshNow(secondaryId(1))
  duty.lose()
  await refresh
  t.equal(zone().transferredAt, null, 'what comes behind the loss is not written')
  duty.take(2)
  await secondaries.refreshNow(secondaryId(1))
  t.not(zone().transferredAt, null)
})
