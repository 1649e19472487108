import { join } from 'node:path'
import t, { type Test } from 'tap'
import { keyOf } from '../../src/store/indexes.ts'
import { openLowdbStore } from '../../src/store/lowdb-store.ts'
import { rewindStore } from '../../src/store/rewind.ts'
import { Dice } from '../helpers/dice.ts'
import { recordsetRow, uuidOf, zoneRow } from '../helpers/store-rows.ts'

const historyOctets = 2 ** 30

/** A store that was changed many times, with what was in it behind each change. */
async function changed(t: Test, { historyOctets }: { readonly historyOctets?: number } = {}) {
  const directory = join(t.testdir(), 'data')
  let now = 1_800_000_000_000
  const clock = { nowMillis: () => now }
  const store = await openLowdbStore({ directory, clock, ...(historyOctets && { historyOctets }) })
  const dice = new Dice(3)
  const states: { readonly atMillis: number; readonly rows: unknown[] }[] = []
  const rows = () => [...store.rows('zones'), ...store.rows('recordsets')].sort(byId)
  for (let round = 0; round < 60; round += 1) {
    now += 1000
    await store.commit(tx => {
      if (round === 0) tx.put('zones', zoneRow())
      const id = uuidOf(dice.below(8))
      // The name of one may be free for another in the same change.
      const other = uuidOf(dice.below(8))
      const name = `n${dice.below(8)}.example.com.`
      if (tx.get('recordsets', id) !== undefined && dice.below(3) === 0) tx.delete('recordsets', id)
      else if (tx.find('recordsets', 'byNameAndType', keyOf(zoneRow().id, name, 'A')) === undefined)
        tx.put('recordsets', recordsetRow({ id, name, version: round + 1 }))
      if (dice.below(4) === 0) tx.delete('recordsets', other)
      tx.put('zones', zoneRow({ serial: round + 1, version: round + 1 }))
    })
    states.push({ atMillis: now, rows: rows() })
    if (round % 10 === 9) await store.checkpoint()
  }
  await store.close()
  return { directory, clock, states }
}

function byId(left: { readonly id: string }, right: { readonly id: string }): number {
  return left.id < right.id ? -1 : 1
}

t.test(
  'any point of the log can be gone back to, one after the other, and forth again',
  async t => {
    const { directory, clock, states } = await changed(t, { historyOctets })
    for (const lsn of [60, 41, 7, 23, 1, 55]) {
      const { rows, atMillis } = states[lsn - 1] ?? { rows: [], atMillis: 0 }
      const point = lsn % 2 === 0 ? { lsn } : { atMicros: atMillis * 1000 + 500_000 }
      t.equal((await rewindStore({ directory, clock }, point)).lsn, lsn)
      const store = await openLowdbStore({ directory, clock, historyOctets })
      t.same([...store.rows('zones'), ...store.rows('recordsets')].sort(byId), rows, `${lsn}`)
      t.ok(store.lastLsn >= 60, 'no number is used twice')
      await store.close()
    }
  },
)

t.test('what the log does not have is refused, and nothing is changed', async t => {
  const { directory, clock, states } = await changed(t)
  for (const point of [{ lsn: 3 }, { lsn: 61 }, { atMicros: 1_800_000_001_500_000 }])
    await t.rejects(rewindStore({ directory, clock }, point), { name: 'RewindError' })
  const store = await openLowdbStore({ directory, clock })
  t.equal(store.lastLsn, 60)
  const rows = [...store.rows('zones'), ...store.rows('recordsets')].sort(byId)
  t.same(rows, states.at(-1)?.rows)
  await store.close()
})

t.test('nothing was stored at a time before the first change', async t => {
  const { directory, clock } = await changed(t, { historyOctets })
  await t.rejects(rewindStore({ directory, clock }, { atMicros: 1 }), {
    name: 'RewindError',
    message: /its first change is of 20/,
  })
})
