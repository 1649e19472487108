import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Clock } from '../../../src/clock.ts'
import { packRun } from '../../../src/model/recordset-run.ts'
import { everything } from '../../../src/store/indexes.ts'
import type { OpeningStore } from '../../../src/store/lowdb-store.ts'
import { Engine } from '../../../src/store/shared/engine.ts'
import { readEnd } from '../../../src/store/shared/log-batch.ts'
import { ensureSchema } from '../../../src/store/shared/schema.ts'
import { beginSharedStore } from '../../../src/store/shared/shared-store.ts'
import {
  type Commit,
  type LogDifference,
  type Store,
  StoreUnavailableError,
} from '../../../src/store/store.ts'
import type { StoreEvent } from '../../../src/store/write-access.ts'
import { fakeClock } from '../../helpers/clock.ts'
import { commitLogContract } from '../../helpers/commit-log-contract.ts'
import { depth } from '../../helpers/depth.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { seededRandom } from '../../helpers/random.ts'
import { type Cut, Relay } from '../../helpers/relay.ts'
import { serverFolder } from '../../helpers/server-folder.ts'
import { storeContract } from '../../helpers/store-contract.ts'
import { recordsetRow, uuidOf, zoneRow } from '../../helpers/store-rows.ts'
import { until } from '../../helpers/until.ts'

// Stores of this process over one log in a PostgreSQL.

/** Recordsets that a node finds when it joins. */
const joinedCount = 20_000 * depth
const postgres = Postgres.start()
t.teardown(async () => (await postgres).close())
const folder = serverFolder(t)
let databases = 0

/** The URL of an empty database. */
async function emptyDatabase(): Promise<string> {
  databases += 1
  return (await postgres).createDatabase(`log${databases}`)
}

async function openStore(
  url: string,
  node: string,
  clock: Clock = fakeClock(),
  directory = mkdtempSync(join(folder, 'copy-')),
  report: (event: StoreEvent) => void = () => undefined,
): Promise<OpeningStore> {
  const engine = { urls: [url], node, acceptsLoss: true }
  const store = await beginSharedStore({
    ...{ directory, clock, engine, report },
    maxClockOffSeconds: Number.POSITIVE_INFINITY,
  })
  await store.loadRecordsets()
  store.setCommitListener(() => undefined)
  return store
}

storeContract(t, 'shared', async (_, clock) => openStore(await emptyDatabase(), 'one', clock))

/** The LSNs of a node's commits that the log has lost. */
function lostOf({ shared }: Store): readonly number[] {
  const lsns: number[] = []
  shared?.whenLost(({ commits }) => lsns.push(...commits.map(({ lsn }) => lsn)))
  return lsns
}

/** What a copy has set aside from an LSN on. */
function lostLines(directory: string, lsn: number): readonly string[] {
  const name = readdirSync(directory).find(file => file.startsWith(`lost-${lsn}-`))
  return readFileSync(join(directory, name ?? ''), 'utf8')
    .trim()
    .split('\n')
}

async function storesOf(urls: readonly string[]) {
  const stores = await Promise.all(urls.map((url, i) => openStore(url, `node${i}`)))
  return { stores, close: async () => void (await Promise.all(stores.map(store => store.close()))) }
}

for (const storeCount of [1, 2])
  t.test(`the log is a log of commits for ${storeCount}`, t =>
    commitLogContract(
      t,
      async () => {
        const url = await emptyDatabase()
        return storesOf(Array.from({ length: storeCount }, () => url))
      },
      { storeCount, runs: 5 },
    ),
  )

const isOfLog = (first: Buffer) => first.includes(' log\0')

t.test('the log is one while connections are cut', async t => {
  const relay = await Relay.start((await postgres).port)
  t.teardown(() => relay.close())
  let runs = 0
  await commitLogContract(
    t,
    async () => {
      const url = await emptyDatabase()
      const opened = await storesOf([relay.urlOf(url), url, relay.urlOf(url)])
      runs += 1
      const way = runs % 2 === 0 ? 'there' : 'back'
      relay.arm({ way, after: runs % 7, isBehind: runs % 3 === 0 }, isOfLog)
      const close = () => {
        relay.disarm()
        return opened.close()
      }
      return { ...opened, close }
    },
    { storeCount: 3, runs: 14 },
  )
})

// A stream cannot repeat a part of a message, so what comes twice is whole messages.
t.test('the log is one while messages are late or come twice', async t => {
  const relay = await Relay.start((await postgres).port)
  t.teardown(() => relay.close())
  await commitLogContract(
    t,
    async seed => {
      const url = await emptyDatabase()
      const opened = await storesOf([relay.urlOf(url), url, relay.urlOf(url)])
      const random = seededRandom(seed)
      relay.disturb((_, isWhole) => {
        const chance = random()
        if (chance < 0.2) return 'is late'
        return isWhole && chance < 0.25 ? 'comes twice' : 'passes'
      })
      const close = () => {
        relay.disturb(() => 'passes')
        return opened.close()
      }
      return { ...opened, close }
    },
    { storeCount: 3, runs: 10 * depth },
  )
})

t.test(
  'a piece that comes twice is no message of the protocol, and makes nothing twice',
  async t => {
    const relay = await Relay.start((await postgres).port)
    t.teardown(() => relay.close())
    const url = await emptyDatabase()
    const { stores, close } = await storesOf([relay.urlOf(url), url])
    t.teardown(close)
    const [own, other] = stores as readonly Store[] as [Store, Store]
    for (const octets of ['zone1.example', 'pg_advisory', 'zone3.example']) {
      let isDue = true
      relay.disturb(piece => {
        const isIt = isDue && piece.includes(octets)
        isDue &&= !isIt
        return isIt ? 'comes twice' : 'passes'
      })
      for (let tries = 0; tries < 4; tries += 1) {
        const [lsn, number] = [own.lastLsn, own.lastLsn + 1]
        const outcome = await own
          .commit(tx => {
            tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
          })
          .catch(error => error)
        t.equal(outcome, undefined, 'the change is made')
        t.equal(own.lastLsn, lsn + 1, 'once')
      }
    }
    await until(() => other.lastLsn === own.lastLsn)
    t.equal([...other.list('zones', 'all', everything)].length, own.lastLsn)
  },
)

/** Makes a change while the connection is cut somewhere. */
async function changeAt(
  t: Test,
  relay: Relay,
  cut: Cut,
  at: { own: Store; other: Store; id: string },
) {
  const { own, other, id } = at
  let runs = 0
  relay.arm(cut, isOfLog)
  const outcome = await own
    .commit(tx => {
      runs += 1
      tx.put('zones', zoneRow({ id, name: `zone${id}.example.` }))
    })
    .catch(error => error)
  await until(async () => (await other.shared?.caughtUp()) === undefined)
  const isThere = other.get('zones', id) !== undefined
  const where = JSON.stringify(cut)
  if (outcome === undefined) t.ok(isThere, `acknowledged, so it is there: ${where}`)
  else {
    t.match(outcome, { name: StoreUnavailableError.name, message: /is not made/ }, where)
    t.notOk(isThere, `not made, so it is not there: ${where}`)
  }
  t.ok(runs <= 1, 'it has run once at most')
  return isThere
}

t.test(
  'wherever the connection is cut in a turn, it is known what became of the change',
  async t => {
    const relay = await Relay.start((await postgres).port)
    t.teardown(() => relay.close())
    const url = await emptyDatabase()
    const { stores, close } = await storesOf([relay.urlOf(url), url])
    t.teardown(close)
    const [own, other] = stores as readonly Store[] as [Store, Store]
    let number = 0
    let madeCount = 0
    for (const way of ['there', 'back'] as const) {
      for (const isBehind of [false, true]) {
        for (let after = 0; ; after += 1) {
          number += 1
          const at = { own, other, id: uuidOf(number) }
          if (await changeAt(t, relay, { way, after, isBehind }, at)) madeCount += 1
          if (relay.isArmed) break
        }
        relay.disarm()
      }
    }
    t.ok(number > 8, 'it was cut at several places')
    t.ok(madeCount > number / 2, 'nobody else wrote, so most are made after all')
    await until(async () => (await own.shared?.caughtUp()) === undefined)
    t.equal(own.lastLsn, madeCount)
    t.equal(other.lastLsn, madeCount)
  },
)

t.test(
  'a commit that PostgreSQL refuses is not made, in whichever language it says so',
  async t => {
    const url = await emptyDatabase()
    const server = await postgres
    await server.psql(`alter database log${databases} set lc_messages = 'C.UTF-8'`)
    const store = await openStore(url, 'one')
    t.teardown(() => store.close())
    await server.psql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
     create constraint trigger refusal after insert on zw_row deferrable initially deferred
       for each row execute function refuse()`,
      url,
    )
    const change = () =>
      store.commit(tx => {
        tx.put('zones', zoneRow({}))
      })
    await t.rejects(change(), { message: /is not made: not today/ })
    await server.psql('drop function refuse cascade', url)
    await change()
  },
)

t.test('a turn that is over when its answer is read is taken again', async t => {
  const relay = await Relay.start((await postgres).port)
  t.teardown(() => relay.close())
  const url = await emptyDatabase()
  const events: string[] = []
  const directory = mkdtempSync(join(folder, 'copy-'))
  const own = await openStore(relay.urlOf(url), 'own', fakeClock(), directory, ({ kind }) => {
    events.push(kind)
  })
  const other = await openStore(url, 'other')
  t.teardown(() => Promise.all([own.close(), other.close()]))
  const put = (store: Store, number: number) =>
    store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  const { held, letGo } = relay.holdBack('pg_advisory_xact_lock', ({ length }) => length)
  const made = put(own, 1)
  await held
  // As the server does by itself, after a time.
  const endTurn = `select count(pg_terminate_backend(pid)) from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())`
  await until(async () => (await (await postgres).psql(endTurn, url)) !== '0')
  await put(other, 2)
  await until(() => own.shared?.position()?.lsn === other.lastLsn)
  await letGo()
  await made
  await until(() => other.get('zones', uuidOf(1)))
  t.same(events, [], 'and the copy stays')
})

t.test('a node that is cut off knows it by the time its first change is refused', async t => {
  const relay = await Relay.start((await postgres).port)
  t.teardown(() => relay.close())
  const store = await openStore(relay.urlOf(await emptyDatabase()), 'one')
  t.teardown(() => store.close())
  const put = (number: number) =>
    store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  await put(1)
  relay.cutOff()
  const message = /is not made: no PostgreSQL takes writes/
  await t.rejects(put(2), { name: StoreUnavailableError.name, message })
  t.match(store.readOnlyReason, /cannot be reached/)
  relay.heal()
  await until(() => store.readOnlyReason === undefined)
  await put(3)
  t.equal(store.get('zones', uuidOf(2)), undefined)
})

t.test('a notice that is not of the log changes nothing', async t => {
  const url = await emptyDatabase()
  const events: string[] = []
  const [one, two] = await Promise.all(
    ['one', 'two'].map(node =>
      openStore(url, node, fakeClock(), mkdtempSync(join(folder, 'copy-')), ({ kind }) => {
        events.push(kind)
      }),
    ),
  )
  if (one === undefined || two === undefined) throw new Error('there are two')
  t.teardown(() => Promise.all([one.close(), two.close()]))
  const server = await postgres
  const put = (number: number) =>
    one.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  await put(1)
  const link = Buffer.alloc(32, 1).toString('base64')
  for (const notice of ['x', `2 2 ${link} AAAA`, `2 2 ${link} AgAAAHt9`, '9 9 x', '2 9 x x'])
    await server.psql(`select pg_notify('zw_log', '${notice}')`, url)
  await put(2)
  await until(() => two.get('zones', uuidOf(2)))
  t.same(events, [])
})

t.test('an answer about the log is bounded', async t => {
  const url = await emptyDatabase()
  const server = await postgres
  const engine = new Engine({ urls: [url], node: 'test', acceptsLoss: true })
  t.teardown(() => engine.close())
  const counts: number[] = []
  await engine.use(async connection => {
    await ensureSchema(connection)
    await server.psql(
      `insert into zw_log select n, n, '', gen_random_uuid(), '', convert_to(repeat('x', 1000000), 'UTF8')
       from generate_series(1, 20) as n`,
      url,
    )
    for (let lsn = 0; lsn < 20; lsn += counts.at(-1) ?? 0) {
      const { end, batches } = await readEnd(connection, lsn)
      t.equal(end.lsn, 0)
      t.equal(batches[0]?.first, lsn + 1)
      counts.push(batches.length)
    }
  })
  t.same(counts, [5, 5, 5, 5], 'as many as begin within 4 MiB')
})

t.test('the log is cut in pieces, however long it is', async t => {
  const url = await emptyDatabase()
  const store = await openStore(url, 'one')
  t.teardown(() => store.close())
  const server = await postgres
  await server.psql(
    `insert into zw_log select -n, -n, '', gen_random_uuid(), '', '' from generate_series(1, 2500) as n;
     create function bound() returns trigger language plpgsql as $$ begin
       if (select count(*) from gone) > 1000 then raise 'too many at once'; end if;
       return null;
     end $$;
     create trigger bound after delete on zw_log referencing old table as gone for each statement execute function bound()`,
    url,
  )
  await store.commit(tx => {
    tx.put('zones', zoneRow({}))
  })
  await store.checkpoint()
  t.equal(await server.psql('select first_lsn from zw_log', url), '1')
})

t.test('the log is cut to what history is kept for, and its last batch stays', async t => {
  const url = await emptyDatabase()
  const store = await openStore(url, 'one')
  t.teardown(() => store.close())
  for (let number = 1; number <= 3; number += 1)
    await store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  const server = await postgres
  t.equal(await server.psql('select count(*) from zw_log', url), '3')
  const seen = "insert into zw_node values ('slow', '', '', '', '[1,1]', '', 2, '')"
  await server.psql(seen, url)
  await store.checkpoint()
  t.equal(await server.psql('select min(first_lsn) from zw_log', url), '2', 'somebody needs it')
  await server.psql("update zw_node set seen_at = now() - interval '2 days'", url)
  await store.checkpoint()
  t.equal(await server.psql('select first_lsn from zw_log', url), '3')
})

t.test(
  'a node that has commits which the log has lost sets them aside, and goes on with the log',
  async t => {
    const server = await postgres
    const url = await emptyDatabase()
    const directory = mkdtempSync(join(folder, 'copy-'))
    const put = (store: Store, number: number, serial: number) =>
      store.commit(tx => {
        const name = `zone${number}.example.`
        tx.put('zones', zoneRow({ id: uuidOf(number), name, serial }))
      })
    const own = await openStore(url, 'one', fakeClock(), directory)
    await put(own, 1, 1)
    const restored = `log${databases}_before`
    await server.psql(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'log${databases}'`,
    )
    await own.close()
    await server.psql(`create database ${restored} template log${databases}`)
    const ahead = await openStore(url, 'one', fakeClock(), directory)
    await put(ahead, 2, 7)
    await put(ahead, 3, 1)
    await ahead.close()
    const other = await openStore(server.urlOf(restored), 'two')
    await put(other, 4, 1)
    const events: string[] = []
    const again = await openStore(server.urlOf(restored), 'one', fakeClock(), directory, event => {
      events.push(event.kind)
    })
    t.teardown(async () => void (await Promise.all([other.close(), again.close()])))
    t.same(events, ['commits-lost'])
    t.same(lostOf(again), [2, 3])
    t.equal(again.get('zones', uuidOf(2)), undefined)
    t.ok(again.get('zones', uuidOf(4)), 'it has what the log has')
    const lines = lostLines(directory, 2)
    t.same(
      lines.map(line => JSON.parse(line).changes[0].id),
      [uuidOf(2), uuidOf(3)],
    )
    await put(again, 5, 1)
    t.equal(again.lastLsn, 3)
  },
)

t.test('a running node goes on with a log that has lost commits, without a restart', async t => {
  const server = await postgres
  const url = await emptyDatabase()
  const database = `log${databases}`
  const directory = mkdtempSync(join(folder, 'copy-'))
  const put = (store: Store, number: number, serial: number) =>
    store.commit(tx => {
      const name = `zone${number}.example.`
      tx.put('zones', zoneRow({ id: uuidOf(number), name, serial }))
    })
  const events: string[] = []
  const own = await openStore(url, 'one', fakeClock(), directory, ({ kind }) => {
    events.push(kind)
  })
  t.teardown(() => own.close())
  const shown: Commit[] = []
  own.setCommitListener(commit => void shown.push(commit))
  await put(own, 1, 1)
  await put(own, 2, 7)
  await put(own, 3, 1)
  await put(own, 1, 2)
  // The state of a promoted server that was behind.
  await server.psql(
    `begin;
     delete from zw_log where first_lsn > 2;
     delete from zw_row where lsn > 2;
     update zw_head set (lsn, link) = (select last_lsn, link from zw_log where last_lsn = 2);
     commit`,
    url,
  )
  const other = await openStore(url, 'two')
  t.teardown(() => other.close())
  await put(other, 1, 1)
  await put(other, 4, 1)
  await server.psql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = '${database}' and application_name like 'zonewright one %'`,
  )
  await until(() => events.includes('copy-renewed'))
  t.same(
    // Sessions are ended at once, but may detect it one after the other.
    events.filter(kind => !['log-lost', 'log-found', 'renewal-failed'].includes(kind)),
    ['diverged', 'commits-lost', 'copy-renewed'],
  )
  t.same(lostOf(own), [3, 4])
  const lines = lostLines(directory, 3)
  t.same(
    lines.map(line => JSON.parse(line).changes[0].id),
    [uuidOf(3), uuidOf(1)],
  )
  const change = shown.at(-1)
  t.equal(change?.lsn, 4)
  t.same(
    change?.rowChanges.map(({ id, before, after }) => [id, before?.id, after?.id]),
    [
      [uuidOf(3), uuidOf(3), undefined],
      [uuidOf(1), uuidOf(1), uuidOf(1)],
      [uuidOf(4), undefined, uuidOf(4)],
    ],
    'the difference is given to the listener, what is gone first',
  )
  t.equal(own.get('zones', uuidOf(1))?.serial, 1)
  t.equal(own.get('zones', uuidOf(3)), undefined)
  t.ok(own.get('zones', uuidOf(4)))
  await put(own, 5, 1)
  t.equal(own.lastLsn, 5)
  await until(async () => (await other.shared?.caughtUp()) === undefined)
  t.ok(other.get('zones', uuidOf(5)), 'it takes changes again')
  const past: number[] = []
  for await (const { lsn, changes } of own.history(2))
    past.push(lsn, ...changes.map(({ id }) => Number(id.slice(-2))))
  t.same(past, [3, 1, 4, 4, 5, 5], 'its history is that of the log')
  await own.close()
  const again = await openStore(url, 'one', fakeClock(), directory)
  t.same(lostOf(again), [3, 4], 'a restart reports what is not made up for')
  again.shared?.whenLost(lost => lost.settle())
  await again.close()
  const last = await openStore(url, 'one', fakeClock(), directory)
  t.same(lostOf(last), [])
  t.equal(lostLines(directory, 3).length, 2, 'the file stays')
  await last.close()
})

t.test('the database of another log, or an empty one, takes nothing from a node', async t => {
  const server = await postgres
  const url = await emptyDatabase()
  const directory = mkdtempSync(join(folder, 'copy-'))
  const kinds: string[] = []
  const own = await openStore(url, 'one', fakeClock(), directory, ({ kind }) => {
    kinds.push(kind)
  })
  t.teardown(() => own.close())
  const put = (number: number) =>
    own.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  await put(1)
  const set = 'alter schema public rename to kept; create schema public'
  const back = 'drop schema public cascade; alter schema kept rename to public'
  await server.psql(
    `${set}; select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
    url,
  )
  // A node without a copy makes the tables of another log.
  const other = await openStore(url, 'two')
  await other.commit(tx => tx.put('zones', zoneRow({ id: uuidOf(3), name: 'zone3.example.' })))
  const refusal = await until(
    () => put(4).then(String, ({ message }: Error) => message),
    message => kinds.includes('diverged') || /log/.test(message),
  )
  t.match(refusal, /not made: .* has another log \([-\w]+\) than this node has a copy of/)
  t.notOk(kinds.includes('diverged'))
  t.ok(own.get('zones', uuidOf(1)))
  t.equal(own.get('zones', uuidOf(3)), undefined)
  await other.close()
  await server.psql(back, url)
  await until(() => own.readOnlyReason === undefined)
  await put(5)
  await own.close()
  const again = () => openStore(url, 'one', fakeClock(), directory)
  await server.psql(set, url)
  await t.rejects(again(), { message: /has another log \(none\) than this node/ })
  t.equal(await server.psql(`select to_regclass('zw_head')`, url), '', 'nor does it make tables')
  await (await openStore(url, 'two')).close()
  await t.rejects(again(), { message: /has another log \([-\w]+\) than this node/ })
  await server.psql(back, url)
  const last = await again()
  t.ok(last.get('zones', uuidOf(5)))
  await last.close()
})

t.test('a copy that is damaged, or behind what is left of the log, is made anew', async t => {
  const server = await postgres
  const url = await emptyDatabase()
  const directory = mkdtempSync(join(folder, 'copy-'))
  const put = (store: Store, number: number) =>
    store.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
    })
  const open = () => openStore(url, 'one', fakeClock(), directory)
  const first = await open()
  await put(first, 1)
  await first.close()
  const other = await openStore(url, 'two')
  t.teardown(() => other.close())
  await put(other, 2)
  await put(other, 3)
  await other.checkpoint()
  t.equal(await server.psql('select count(*) from zw_log', url), '1')
  const behind = await open()
  t.ok(behind.get('zones', uuidOf(2)))
  t.same(lostOf(behind), [])
  await behind.close()
  // The state that a power failure leaves of an unsynced log.
  const journal = join(directory, 'journal')
  const segment = join(journal, readdirSync(journal).at(-1) ?? '')
  const octets = readFileSync(segment)
  for (const left of [octets.subarray(0, -1), octets.fill(7, 60, 70)]) {
    writeFileSync(segment, left)
    const torn = await open()
    t.ok(torn.get('zones', uuidOf(2)))
    await torn.close()
  }
  writeFileSync(join(directory, 'manifest.json'), 'damaged')
  writeFileSync(join(directory, 'manifest.json.prev'), 'damaged')
  const damaged = await open()
  t.teardown(() => damaged.close())
  t.ok(damaged.get('zones', uuidOf(3)))
  await put(damaged, 4)
  t.equal(damaged.lastLsn, 4)
})

t.test('a node that joins while another writes has all there is', async t => {
  const url = await emptyDatabase()
  const writer = await openStore(url, 'one')
  t.teardown(() => writer.close())
  const zoneId = uuidOf(joinedCount)
  await writer.commit(tx => tx.put('zones', zoneRow({ id: zoneId, name: 'large.example.' })))
  for (let first = 0; first < joinedCount; first += 5000) {
    const rows = Array.from({ length: 5000 }, (_, i) =>
      recordsetRow({ id: uuidOf(first + i), zoneId, name: `host${first + i}.large.example.` }),
    )
    await writer.commit(tx => tx.insertRecordsets(packRun(rows)))
  }
  let isOver = false
  const write = async () => {
    for (let version = 2; !isOver; version += 1)
      await writer.commit(tx => {
        tx.put('zones', zoneRow({ id: zoneId, name: 'large.example.', version }))
        tx.delete('recordsets', uuidOf(version))
      })
    return writer.lastLsn
  }
  const writing = write()
  const joined = await openStore(url, 'two')
  t.teardown(() => joined.close())
  isOver = true
  const lastLsn = await writing
  await until(() => joined.lastLsn === lastLsn)
  t.equal(joined.size('recordsets'), writer.size('recordsets'))
  const differences: LogDifference[] = []
  for await (const each of joined.shared?.compare() ?? []) differences.push(each)
  t.same(differences, [])
})

t.test('the check names what a node has otherwise than PostgreSQL', async t => {
  const server = await postgres
  const url = await emptyDatabase()
  const { stores, close } = await storesOf([url, url])
  t.teardown(close)
  const [own, other] = stores as readonly Store[] as [Store, Store]
  for (let number = 1; number <= 5; number += 1)
    await own.commit(tx => {
      tx.put('zones', zoneRow({ id: uuidOf(number), name: `zone${number}.example.` }))
      tx.put('recordsets', recordsetRow({ id: uuidOf(10 + number), zoneId: uuidOf(number) }))
    })
  const found = async ({ shared }: Store) => {
    const differences: LogDifference[] = []
    for await (const each of shared?.compare() ?? []) differences.push(each)
    return differences.map(({ kind, collection, id, problem }) =>
      [kind, collection, id, problem].filter(Boolean).join(' '),
    )
  }
  t.same(await found(own), [])
  t.same(await found(other), [])
  const unlike = 'it is not the same at this node and in PostgreSQL'
  const damaged = `copy zones ${uuidOf(1)} ${unlike}`
  const text = `convert_from(row, 'UTF8')`
  await server.psql(
    `update zw_row set row = convert_to(replace(${text}, 'zone1.', 'zoneX.'), 'UTF8')
     where collection = 'zones' and id = '${uuidOf(1)}'`,
    url,
  )
  t.same(await found(own), [damaged])
  t.same(await found(other), [damaged], 'all say so: it is PostgreSQL')
  Object.assign(other.get('zones', uuidOf(4)) ?? {}, { ttlSeconds: 1 })
  t.same(
    (await found(other)).sort(),
    [damaged, `copy zones ${uuidOf(4)} ${unlike}`].sort(),
    'a row that is damaged at a node',
  )
  t.same(await found(own), [damaged], 'is named by that one alone')
  await server.psql(`delete from zw_row where id = '${uuidOf(12)}'`, url)
  await server.psql(
    `insert into zw_row select collection, '${uuidOf(99)}', lsn, row from zw_row where id = '${uuidOf(13)}'`,
    url,
  )
  t.same((await found(own)).sort(), [
    `copy recordsets ${uuidOf(12)} this node has it, and PostgreSQL has not`,
    `copy recordsets ${uuidOf(99)} PostgreSQL has it, and this node has not`,
    damaged,
  ])
  await server.psql(
    `update zw_log set body = overlay(body placing '\\x58' from octet_length(body)) where first_lsn = 3`,
    url,
  )
  t.match(await found(own), [
    'log the link of 3 is not that of the commits up to there',
    'log this node has another commit 3 than the log',
  ])
})

t.test('a check beside changes finds nothing that is not so', async t => {
  const url = await emptyDatabase()
  const { stores, close } = await storesOf([url, url])
  t.teardown(close)
  const [own, other] = stores as readonly Store[] as [Store, Store]
  let isOver = false
  const write = async (store: Store, from: number) => {
    for (let count = 0; !isOver; count += 1) {
      const id = uuidOf(from + (count % 10))
      await store.commit(tx => {
        if (count % 3 === 0) tx.delete('zones', id)
        else
          tx.put(
            'zones',
            zoneRow({ id, name: `zone${from + (count % 10)}.example.`, version: count }),
          )
      })
    }
  }
  const writing = [write(own, 1), write(other, 6)]
  // A node finds its place in the log with its first turn.
  await own.commit(() => undefined)
  const differences: LogDifference[] = []
  for (let rounds = 0; rounds < 5; rounds += 1)
    for await (const each of own.shared?.compare() ?? []) differences.push(each)
  isOver = true
  await Promise.all(writing)
  t.same(differences, [])
})
