import t from 'tap'
import { SharedParts } from '../../src/store/shared-parts.ts'
import { zoneRow } from '../helpers/store-rows.ts'

t.test('what is equal in rows of zones is one value, and no row says anything else', async t => {
  const rows = [1, 2, 3].map(number =>
    structuredClone({
      ...zoneRow({ id: `zone-${number}` }),
      email: number === 3 ? 'other@example.net' : 'hostmaster@example.net',
      soaTimers: { refreshSeconds: number, retrySeconds: 2, expireSeconds: 3, minimumSeconds: 4 },
      attributes: number === 3 ? { a: 'b' } : {},
      masters: number === 3 ? ['192.0.2.1'] : [],
    }),
  )
  const before = structuredClone(rows)
  const parts = new SharedParts()
  for (const row of rows) parts.share(row)
  t.same(rows, before)
  const [one, two, three] = rows
  t.equal(one?.attributes, two?.attributes)
  t.equal(one?.masters, two?.masters)
  t.not(one?.soaTimers, two?.soaTimers)
  t.not(one?.masters, three?.masters)
})

t.test('equal timers are one value', async t => {
  const timers = { refreshSeconds: 1, retrySeconds: 2, expireSeconds: 3, minimumSeconds: 4 }
  const [one, two] = [1, 2].map(() => structuredClone({ ...zoneRow({}), soaTimers: timers }))
  const parts = new SharedParts()
  for (const row of [one, two]) if (row !== undefined) parts.share(row)
  t.equal(one?.soaTimers, two?.soaTimers)
})
