import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { decodeCommit, encodeCommit } from '../../src/store/commit-entry.ts'
import { type CommitLog, Committer } from '../../src/store/committer.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import type { PastCommit } from '../../src/store/store.ts'
import {
  type Commit,
  type Store,
  StoreBusyError,
  StoreReadOnlyError,
  type Transaction,
} from '../../src/store/store.ts'
import { Tables } from '../../src/store/tables.ts'
import { atOnce, TimeSlice } from '../../src/time-slice.ts'
import { fakeClock } from '../helpers/clock.ts'
import { heldTimers } from '../helpers/held-timers.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from '../helpers/store-rows.ts'

/** A log whose every write is held until it is let go. */
class HeldLog implements CommitLog {
  readonly batches: (readonly Commit[])[] = []
  readonly #held: PromiseWithResolvers<void>[] = []
  #arrival = Promise.withResolvers<void>()

  async append(commits: readonly Commit[], meanwhile: () => void): Promise<void> {
    meanwhile()
    const held = Promise.withResolvers<void>()
    this.batches.push(commits)
    this.#held.push(held)
    this.#arrival.resolve()
    this.#arrival = Promise.withResolvers()
    await held.promise
  }

  /** Resolves when the next batch has come. */
  get arrival(): Promise<void> {
    return this.#arrival.promise
  }

  letGo(): void {
    this.#held.shift()?.resolve()
  }

  fail(error: Error): void {
    this.#held.shift()?.reject(error)
  }
}

function parts() {
  const tables = new Tables()
  const log = new HeldLog()
  const committer = new Committer({ tables, log, clock: fakeClock() })
  const put = (i: number) =>
    committer.commit(tx =>
      tx.put('recordsets', recordsetRow({ id: uuidOf(i), name: `www${i}.example.com.` })),
    )
  const has = (i: number) => tables.get('recordsets', uuidOf(i)) !== undefined
  return { log, committer, put, has }
}

t.test('a row is not seen before it is durable', async t => {
  const { log, put, has } = parts()
  const { arrival } = log
  let isTold = false
  const commit = put(1).then(() => {
    isTold = true
  })
  await arrival
  t.notOk(has(1))
  t.notOk(isTold)
  log.letGo()
  await commit
  t.ok(has(1))
})

t.test('while a batch is on its way to the disk the next one gathers', async t => {
  const { log, put } = parts()
  const first = log.arrival
  const commits = [put(1), put(2)]
  await first
  const second = log.arrival
  commits.push(put(3), put(4), put(5))
  log.letGo()
  await second
  t.same(
    log.batches.map(batch => batch.map(({ lsn }) => lsn)),
    [
      [1, 2],
      [3, 4, 5],
    ],
  )
  log.letGo()
  await Promise.all(commits)
})

t.test('long work rests while a small batch is written, but not while a large one is', async t => {
  heldTimers(t)
  const { log, committer, put } = parts()
  const rest = () => new TimeSlice().yield()
  const first = log.arrival
  const small = put(0)
  await first
  let isResting = true
  const resting = rest().then(() => {
    isResting = false
  })
  for (let i = 0; i < 3; i += 1) await new Promise(resolve => setImmediate(resolve))
  t.ok(isResting)
  log.letGo()
  await Promise.all([small, resting])
  const second = log.arrival
  const large = committer.commit(tx => {
    for (let i = 1; i <= 101; i += 1)
      tx.put('recordsets', recordsetRow({ id: uuidOf(i), name: `www${i}.example.com.` }))
  })
  await second
  await rest()
  log.letGo()
  await large
})

t.test('a refusal that hangs on what is not durable yet waits for it', async t => {
  const { log, committer, put } = parts()
  const { arrival } = log
  const commit = put(1)
  const refused = committer.commit(tx => {
    if (tx.get('recordsets', uuidOf(1)) !== undefined) throw new Error('it is there already')
  })
  await arrival
  log.fail(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  await t.rejects(commit, StoreReadOnlyError)
  await t.rejects(refused, StoreReadOnlyError)
  t.match(committer.readOnlyReason, /^the disk is full/)
})

t.test('a change behind ten thousand others is refused; those and later ones are not', async t => {
  const { log, put, has } = parts()
  const { arrival } = log
  const first = put(0)
  await arrival
  const waiting = Array.from({ length: 10_000 }, (_, i) => put(i + 1))
  await t.rejects(put(10_001), StoreBusyError)
  const done = Promise.all([first, ...waiting])
  let isDone = false
  done.then(() => {
    isDone = true
  })
  log.letGo()
  while (!isDone) {
    await Promise.race([log.arrival, done])
    log.letGo()
  }
  t.ok(has(10_000))
  t.notOk(has(10_001))
  const { arrival: next } = log
  const later = put(10_001)
  await next
  log.letGo()
  await later
  t.ok(has(10_001))
})

t.test('callers may work while their changes are made durable', async t => {
  // No slice is spent, however busy the machine.
  t.intercept(performance, 'now', { value: () => 0 })
  const { committer, log } = parts()
  const calls: string[] = []
  const row = (i: number) => recordsetRow({ id: uuidOf(i), name: `www${i}.example.com.` })
  const put = (i: number, meanwhile: () => void) =>
    committer.commit(tx => tx.put('recordsets', row(i)), { meanwhile })
  const changes = [
    put(1, () => calls.push('one')),
    put(2, () => {
      throw new Error('what cannot be prepared')
    }),
    committer.commit(() => Promise.resolve(), { meanwhile: () => calls.push('nothing written') }),
    put(3, () =>
      calls.push(
        `three beside ${committer.shown.visible.reader.count('recordsets', 'byZone', testZoneId)}`,
      ),
    ),
  ]
  await log.arrival
  t.same(calls, ['one', 'three beside 0'])
  log.letGo()
  await Promise.all(changes)
  const failed = put(4, () => calls.push('four'))
  await log.arrival
  log.fail(new Error('the disk is gone'))
  await t.rejects(failed, StoreReadOnlyError)
  t.same(calls, ['one', 'three beside 0', 'four'], 'once each')
})

t.test('the first commit of each batch can be prepared before it is seen', async t => {
  const { log, committer, put } = parts()
  const calls: string[] = []
  committer.shown.setListener(
    ({ lsn }) => void calls.push(`shown ${lsn}`),
    undefined,
    ({ lsn }) => void calls.push(`prepared ${lsn}`),
  )
  const { arrival } = log
  const first = [put(1), put(2)]
  await arrival
  t.same(calls, ['prepared 1'])
  const { arrival: next } = log
  const second = put(3)
  log.letGo()
  await next
  log.letGo()
  await Promise.all([...first, second])
  t.same(calls, ['prepared 1', 'shown 1', 'shown 2', 'prepared 3', 'shown 3'])
})

t.test('a caller is called once its change is served, before followers are', async t => {
  const { log, committer } = parts()
  const calls: string[] = []
  committer.shown.setListener(
    ({ lsn }) => void calls.push(`served ${lsn}`),
    ({ lsn }) => void calls.push(`followed ${lsn}`),
  )
  const onServed = () => {
    calls.push(`answered, last ${committer.shown.visibleLsn}`)
    throw new Error('what cannot be answered')
  }
  const put = committer.commit(tx => tx.put('recordsets', recordsetRow()), { onServed })
  const refused = committer.commit(
    () => {
      throw new Error('refused')
    },
    { onServed },
  )
  await log.arrival
  t.same(calls, [])
  log.letGo()
  await put
  await t.rejects(refused)
  t.same(calls, ['served 1', 'answered, last 1', 'followed 1'])
})

t.test('what is noted of a commit is made right behind it, before it is seen', async t => {
  const tables = new Tables()
  const log = new HeldLog()
  const seen: string[][] = []
  const committer = new Committer({
    tables,
    log,
    clock: fakeClock(),
    factsOf: (commit, reader) => {
      const ids = [1, 2].map(uuidOf).filter(id => reader.get('recordsets', id) !== undefined)
      seen.push(ids)
      return { lsn: commit.lsn, count: ids.length }
    },
  })
  const { arrival } = log
  const put = (i: number) =>
    committer.commit(tx => tx.put('recordsets', recordsetRow({ id: uuidOf(i), type: `TYPE${i}` })))
  const commits = [put(1), put(2)]
  await arrival
  t.same(seen, [[uuidOf(1)], [uuidOf(1), uuidOf(2)]], 'with all earlier ones of its batch')
  t.same(
    log.batches[0]?.map(({ facts }) => facts),
    [
      { lsn: 1, count: 1 },
      { lsn: 2, count: 2 },
    ],
  )
  log.letGo()
  await Promise.all(commits)
})

t.test('a staged transaction is seen by its holder alone, and comes to nothing', async t => {
  const { log, committer, has } = parts()
  const row = recordsetRow({ id: uuidOf(1) })
  const staged = committer.stage()
  staged.put('recordsets', row)
  t.same(staged.get('recordsets', row.id), row)
  t.notOk(has(1))
  t.equal(await committer.commit(tx => tx.get('recordsets', row.id)), undefined)
  t.same(log.batches, [])
})

t.test('a commit that adopts what was staged is one that has written it', async t => {
  const entries = []
  for (const isStaged of [true, false]) {
    const clock = fakeClock()
    const store = isStaged
      ? await openLowdbStore({ directory: t.testdir(), clock })
      : openMemoryStore({ clock })
    const commits: Commit[] = []
    const [old, gone, fresh] = [1, 2, 3].map(i =>
      recordsetRow({ id: uuidOf(i), name: `www${i}.example.com.`, createdAt: i }),
    ) as [Recordset, Recordset, Recordset]
    await store.commit(tx => {
      for (const row of [old, gone]) tx.put('recordsets', row)
    })
    store.setCommitListener(commit => void commits.push(commit))
    const write = (tx: Transaction) => {
      tx.put('recordsets', { ...old, version: 2, records: ['192.0.2.2', '192.0.2.3'] })
      tx.delete('recordsets', gone.id)
      tx.put('recordsets', fresh)
    }
    const staged = store.stage()
    if (isStaged) write(staged)
    const made = isStaged ? atOnce(staged.packRecordsets()) : undefined
    await store.commit(tx => {
      if (isStaged) tx.adoptRecordsets(staged)
      else write(tx)
      tx.put('zones', zoneRow())
      if (made !== undefined) tx.insertRecordsets(made)
    })
    if (isStaged) t.throws(() => staged.put('recordsets', fresh), /is over/)
    t.same(ids(store), [old.id, fresh.id])
    entries.push(...commits.map(encodeCommit))
    await store.close()
  }
  const [adopted, written] = entries.map(entry => decodeCommit(2, entry))
  t.same(rowsOf(adopted), rowsOf(written))
})

function ids(store: Store) {
  return [...store.list('recordsets', 'byZone', testZoneId)].map(({ id }) => id)
}

function rowsOf(commit: PastCommit | undefined) {
  const rows = commit?.changes.map(({ id, before, after }) => ({ id, before, after }))
  return rows?.sort((one, other) => (one.id < other.id ? -1 : 1))
}
