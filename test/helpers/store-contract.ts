import type { Test } from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { everything, keyOf } from '../../src/store/indexes.ts'
import {
  type Change,
  type Commit,
  type Store,
  StoreReadOnlyError,
  type Transaction,
  UniqueViolation,
} from '../../src/store/store.ts'
import { type FakeClock, fakeClock } from './clock.ts'
import { recordsetRow, testZoneId, uuidOf, zoneRow } from './store-rows.ts'

// The guarantees of every store, however it keeps its rows.

const ids = (rows: Iterable<{ id: string }>) => [...rows].map(({ id }) => id)

/** Record sets of one zone, `count` of them, one microsecond apart. */
const recordsets = (count: number): readonly Recordset[] =>
  Array.from({ length: count }, (_, i) =>
    recordsetRow({ id: uuidOf(i), createdAt: 1 + i, name: `host${i}.example.com.` }),
  )

/** Tests a store against the guarantees of every store.
 *  @param open an empty one */
export function storeContract(
  t: Test,
  kind: string,
  open: (t: Test, clock: FakeClock) => Promise<Store>,
): void {
  const test = (rule: string, run: (t: Test, store: Store, clock: FakeClock) => Promise<void>) =>
    t.test(`${kind} store: ${rule}`, async t => {
      const clock = fakeClock()
      const store = await open(t, clock)
      t.teardown(() => store.close())
      await run(t, store, clock)
    })

  test('a commit resolves with the value of the change, and its rows are there', async (t, store) => {
    const zone = zoneRow()
    const change = (tx: Transaction) => {
      tx.put('zones', zone)
      return 'made'
    }
    t.equal(await store.commit(change), 'made')
    t.equal(store.get('zones', zone.id), zone)
    t.equal(store.find('zones', 'byName', keyOf(zone.poolId, zone.name)), zone)
    t.same(ids(store.list('zones', 'all', everything)), [zone.id])
    t.equal(store.count('zones', 'byProject', zone.projectId), 1)
  })

  test('a transaction sees what earlier ones of its batch have written', async (t, store) => {
    const row = recordsetRow()
    const first = store.commit(tx => tx.put('recordsets', row))
    const second = store.commit(tx => {
      t.equal(tx.get('recordsets', row.id), row)
      t.same(ids(tx.list('recordsets', 'byZone', testZoneId)), [row.id])
      tx.put('recordsets', { ...row, version: 2 })
    })
    const third = store.commit(tx => tx.get('recordsets', row.id)?.version)
    t.equal(store.get('recordsets', row.id), undefined, 'which nobody else sees')
    await Promise.all([first, second])
    t.equal(await third, 2)
  })

  test('a change that throws rejects with what it threw and leaves nothing', async (t, store) => {
    const reason = new Error('no')
    const [kept, dropped] = recordsets(2) as [Recordset, Recordset]
    const before = store.commit(tx => tx.put('recordsets', kept))
    const refused = store.commit(tx => {
      tx.put('recordsets', dropped)
      tx.delete('recordsets', kept.id)
      throw reason
    })
    const after = store.commit(tx => ids(tx.list('recordsets', 'byZone', testZoneId)))
    t.equal(await refused.catch(error => error), reason)
    await before
    t.same(await after, [kept.id])
    t.same(ids(store.list('recordsets', 'byZone', testZoneId)), [kept.id])
  })

  test('a second row with a unique key is refused, in one transaction and across', async (t, store) => {
    const zone = zoneRow()
    const twin = zoneRow({ id: 'other', name: 'EXAMPLE.com.' })
    await t.rejects(
      store.commit(tx => {
        tx.put('zones', zone)
        tx.put('zones', twin)
      }),
      UniqueViolation,
    )
    t.equal(store.count('zones', 'all', everything), 0)
    const [, second] = [
      store.commit(tx => tx.put('zones', zone)),
      store.commit(tx => tx.put('zones', twin)),
    ]
    await t.rejects(second, UniqueViolation)
    await store.commit(tx => {
      tx.delete('zones', zone.id)
      tx.put('zones', twin)
    })
    t.equal(store.find('zones', 'byName', keyOf(zone.poolId, zone.name)), twin)
  })

  test('a change in steps: others read on, what they commit comes behind it', async (t, store) => {
    const rows = recordsets(3)
    const gate = Promise.withResolvers<void>()
    const log: string[] = []
    const first = store.commitInSteps(function* (tx) {
      for (const row of rows) {
        tx.put('recordsets', row)
        // Uses up its time slice, so that others get a turn.
        for (const until = performance.now() + 20; performance.now() < until; );
        log.push(`step ${store.count('recordsets', 'byZone', testZoneId)}`)
        yield
      }
      return 'made'
    })
    setImmediate(() => {
      log.push('turn')
      gate.resolve()
    })
    const second = store.commit(tx => tx.count('recordsets', 'byZone', testZoneId))
    await gate.promise
    t.same(await Promise.all([first, second]), ['made', 3])
    t.same(
      log.filter(entry => entry !== 'turn'),
      ['step 0', 'step 0', 'step 0'],
    )
    t.ok(log.indexOf('turn') < log.lastIndexOf('step 0'))
    t.same(ids(store.list('recordsets', 'byZone', testZoneId)), ids(rows))
  })

  test('a change in steps that fails leaves nothing', async (t, store) => {
    const [row] = recordsets(1)
    const failing = store.commitInSteps(function* (tx) {
      if (row !== undefined) yield void tx.put('recordsets', row)
      throw new Error('no')
    })
    await t.rejects(failing, { message: 'no' })
    t.equal(store.count('recordsets', 'byZone', testZoneId), 0)
  })

  test('the listener hears of each commit in order, visible, before its promise', async (t, store) => {
    const heard: Commit[] = []
    const resolved: number[] = []
    store.setCommitListener(commit => {
      heard.push(commit)
      for (const { id, after } of commit.changes) t.same(store.get('recordsets', id), after)
    })
    const rows = recordsets(5)
    await Promise.all(
      rows.map(async (row, i) => {
        await store.commit(tx => tx.put('recordsets', row))
        t.ok(heard.length > i)
        resolved.push(i)
      }),
    )
    t.same(
      heard.map(({ lsn }) => lsn),
      [1, 2, 3, 4, 5],
    )
    t.same(
      heard.map(({ changes }) => changes.map(rowsOf)),
      rows.map(row => [{ collection: 'recordsets', id: row.id, before: undefined, after: row }]),
    )
    t.same(resolved, [0, 1, 2, 3, 4])
  })

  test('steps that a listener returns are done before anything else is reported', async (t, store) => {
    const heard: string[] = []
    store.setCommitListener(function* ({ lsn }) {
      for (const step of [1, 2, 3]) {
        heard.push(`${lsn}.${step} behind ${store.lastLsn}`)
        yield
      }
    })
    const put = (row: Recordset) =>
      store.commit(tx => tx.put('recordsets', row)).then(() => heard.push(`at ${store.lastLsn}`))
    await Promise.all(recordsets(2).map(put))
    const stepsOf = (lsn: number) => [1, 2, 3].map(step => `${lsn}.${step} behind ${lsn - 1}`)
    const told = heard.filter(line => line.includes('behind'))
    t.same(told, [...stepsOf(1), ...stepsOf(2)])
    t.ok(heard.indexOf('at 2') > heard.indexOf('2.3 behind 1'))
    t.equal(store.lastLsn, 2)
  })

  test('a commit tells of each row once, with its first and last state', async (t, store) => {
    const [one, two, three] = recordsets(3) as [Recordset, Recordset, Recordset]
    await store.commit(tx => {
      tx.put('recordsets', one)
      tx.put('recordsets', two)
    })
    const changed = { ...one, version: 3 }
    const heard: Commit[] = []
    store.setCommitListener(commit => void heard.push(commit))
    await store.commit(tx => {
      tx.put('recordsets', { ...one, version: 2 })
      tx.put('recordsets', changed)
      tx.delete('recordsets', two.id)
      tx.put('recordsets', three)
      tx.delete('recordsets', three.id)
    })
    t.same(heard[0]?.changes.map(rowsOf), [
      { collection: 'recordsets', id: one.id, before: one, after: changed },
      { collection: 'recordsets', id: two.id, before: two, after: undefined },
    ])
  })

  test('the time of a commit is strictly later than that before, whatever the clock', async (t, store, clock) => {
    const times: number[] = []
    const commit = (version: number) =>
      store.commit(tx => {
        tx.put('zones', zoneRow({ version }))
        times.push(tx.atMicros)
      })
    await commit(1)
    t.equal(times[0], clock.nowMillis() * 1000)
    await Promise.all([commit(2), commit(3)])
    clock.advanceMillis(-3_600_000)
    await commit(4)
    clock.advanceMillis(7_200_000)
    await commit(5)
    t.ok(times.every((time, i) => i === 0 || time > (times[i - 1] ?? 0)))
    t.equal(times[4], clock.nowMillis() * 1000)
  })

  test('a list goes by creation, starts behind a place and runs both ways', async (t, store) => {
    const rows = recordsets(1500)
    await store.commit(tx => {
      for (const row of rows.toReversed()) tx.put('recordsets', row)
    })
    const all = rows.map(({ id }) => id)
    const list = (options: object) => ids(store.list('recordsets', 'byZone', testZoneId, options))
    t.same(list({}), all)
    t.same(list({ isDescending: true }), all.toReversed())
    const after = rows[1000]!
    t.same(list({ after }), all.slice(1001))
    t.same(list({ after, isDescending: true }), all.slice(0, 1000).toReversed())
    await store.commit(tx => tx.delete('recordsets', after.id))
    t.same(list({ after }), all.slice(1001), 'also behind a row that is gone')
    t.equal(store.count('recordsets', 'byZone', testZoneId), 1499)
    t.same(ids(store.list('recordsets', 'byZone', 'another zone')), [])
  })

  test('a transaction lists and counts its own puts and deletes', async (t, store) => {
    const rows = recordsets(6)
    await store.commit(tx => {
      for (const row of [0, 2, 3, 5]) tx.put('recordsets', rows[row]!)
    })
    await store.commit(tx => {
      tx.delete('recordsets', rows[2]!.id)
      tx.put('recordsets', rows[4]!)
      tx.put('recordsets', { ...rows[5]!, zoneId: 'another zone' })
      tx.put('recordsets', rows[1]!)
      tx.delete('recordsets', rows[0]!.id)
      const list = (options: object) => ids(tx.list('recordsets', 'byZone', testZoneId, options))
      const left = [1, 3, 4].map(i => rows[i]!.id)
      t.same(list({}), left)
      t.same(list({ isDescending: true }), left.toReversed())
      t.same(list({ after: rows[2] }), left.slice(1))
      t.same(list({ after: rows[4], isDescending: true }), left.slice(0, 2).toReversed())
      t.equal(tx.count('recordsets', 'byZone', testZoneId), 3)
      t.equal(tx.count('recordsets', 'byZone', 'another zone'), 1)
      for (const row of tx.list('recordsets', 'byZone', testZoneId)) tx.delete('recordsets', row.id)
      t.equal(tx.count('recordsets', 'byZone', testZoneId), 0)
    })
    t.equal(store.count('recordsets', 'byZone', testZoneId), 0)
  })

  test('a row deleted and made anew in one transaction has its new place', async (t, store) => {
    const [first, second, third] = recordsets(3) as [Recordset, Recordset, Recordset]
    await store.commit(tx => {
      for (const row of [first, second, third]) tx.put('recordsets', row)
    })
    await store.commit(tx => {
      tx.delete('recordsets', first.id)
      tx.put('recordsets', { ...first, createdAt: 100 })
    })
    t.same(ids(store.list('recordsets', 'byZone', testZoneId)), [second.id, third.id, first.id])
    t.equal(store.count('recordsets', 'byZone', testZoneId), 3)
  })

  test('many commits asked for at once all happen, each on its own', async (t, store) => {
    const rows = recordsets(2000)
    await Promise.all(rows.map(row => store.commit(tx => tx.put('recordsets', row))))
    t.same(ids(store.list('recordsets', 'byZone', testZoneId)), ids(rows))
  })

  test('what a transaction writes after its end is refused', async (t, store) => {
    let late: (() => void) | undefined
    await store.commit(tx => {
      late = () => tx.put('zones', zoneRow())
    })
    t.throws(() => late?.(), { message: /over/ })
  })

  test('close finishes what was asked for, then takes no more, and may be called again', async (t, store) => {
    const asked = store.commit(tx => tx.put('zones', zoneRow()))
    const closed = store.close()
    await t.rejects(
      store.commit(tx => tx.put('zones', zoneRow({ version: 2 }))),
      StoreReadOnlyError,
    )
    await asked
    await Promise.all([closed, store.close()])
    t.equal(store.get('zones', testZoneId)?.version, 1)
    t.ok(store.readOnlyReason)
  })
}

/** A change without packed forms. */
function rowsOf({ collection, id, before, after }: Change): object {
  return { collection, id, before, after }
}
