import fc from 'fast-check'
import t from 'tap'
import type { Stamped } from '../../src/model/stamped.ts'
import { comparePlaces, OrderedRows } from '../../src/store/ordered-rows.ts'

function rowAt(createdAt: number, id = String(createdAt)): Stamped {
  return { id, version: 1, createdAt, updatedAt: null }
}

const ids = (rows: Iterable<Stamped>) => [...rows].map(({ id }) => id)

/** Enough for several chunks. */
const many = 5000

function rowsUpTo(count: number): OrderedRows<Stamped> {
  const rows = new OrderedRows<Stamped>()
  for (let i = 0; i < count; i += 1) rows.put(rowAt(i))
  return rows
}

t.test('places are ordered by time, and by id where the time is the same', async t => {
  t.ok(comparePlaces(rowAt(1, 'b'), rowAt(2, 'a')) < 0)
  t.ok(comparePlaces(rowAt(2, 'b'), rowAt(2, 'a')) > 0)
  t.equal(comparePlaces(rowAt(2, 'a'), rowAt(2, 'a')), 0)
})

t.test('a row put at a taken place replaces the one there', async t => {
  const rows = rowsUpTo(3)
  const replacement = { ...rowAt(1), version: 2 }
  rows.put(replacement)
  t.equal(rows.size, 3)
  t.equal([...rows.walk()][1], replacement)
})

t.test('a walk may begin behind a row that is not there any more', async t => {
  const rows = rowsUpTo(many)
  rows.delete(rowAt(700))
  const after = rowAt(700)
  t.same(ids(rows.walk({ after })).slice(0, 2), ['701', '702'])
  t.same(ids(rows.walk({ after, isDescending: true })).slice(0, 2), ['699', '698'])
})

t.test('a walk behind the last row, or before the first, is empty', async t => {
  const rows = rowsUpTo(3)
  t.same(ids(rows.walk({ after: rowAt(2) })), [])
  t.same(ids(rows.walk({ after: rowAt(0), isDescending: true })), [])
  t.same(ids(new OrderedRows<Stamped>().walk({ after: rowAt(0), isDescending: true })), [])
})

t.test('a walk goes on behind the last row it gave out when rows come and go', async t => {
  const rows = rowsUpTo(many)
  const seen: string[] = []
  for (const row of rows.walk()) {
    seen.push(row.id)
    rows.delete(row)
    if (row.createdAt % 2 === 0) rows.delete(rowAt(row.createdAt + 1))
  }
  t.equal(seen.length, many / 2)
  t.equal(rows.size, 0)
})

t.test('the rows are what a sorted array has, whatever comes and goes', async t => {
  const place = fc.record({
    createdAt: fc.integer({ min: 0, max: 40 }),
    id: fc.constantFrom('a', 'b', 'c'),
  })
  const steps = fc.array(fc.record({ place, isPut: fc.boolean() }), {
    maxLength: 3000,
    size: 'max',
  })
  fc.assert(
    fc.property(steps, place, fc.boolean(), (steps, after, isDescending) => {
      const rows = new OrderedRows<Stamped>()
      let plain: Stamped[] = []
      for (const [version, { place, isPut }] of steps.entries()) {
        const row = { ...rowAt(place.createdAt, place.id), version }
        const rest = plain.filter(each => comparePlaces(each, row) !== 0)
        if (isPut) rows.put(row)
        else if (rows.delete(row) !== rest.length < plain.length) return false
        plain = isPut ? [...rest, row] : rest
      }
      plain.sort(comparePlaces)
      const behind = plain.filter(row =>
        isDescending ? comparePlaces(row, after) < 0 : comparePlaces(row, after) > 0,
      )
      if (isDescending) behind.reverse()
      return (
        rows.size === plain.length &&
        rows.first === plain[0] &&
        sameRows(rows.walk(), plain) &&
        sameRows(rows.walk({ after, isDescending }), behind)
      )
    }),
  )
  t.pass()
})

t.test('rows that come in any order end up in one', async t => {
  const rows = new OrderedRows<Stamped>()
  // 2,003 is prime to the count, so this visits every place once, far from in order.
  for (let i = 0; i < many; i += 1) rows.put(rowAt((i * 2003) % many))
  t.ok(sameRows(rows.walk(), [...rowsUpTo(many).walk()], comparePlaces))
})

function sameRows(
  walked: Iterable<Stamped>,
  expected: readonly Stamped[],
  compare: (left: Stamped, right: Stamped) => number = (left, right) => Number(left !== right),
): boolean {
  const rows = [...walked]
  return rows.length === expected.length && rows.every((row, i) => compare(row, expected[i]!) === 0)
}
