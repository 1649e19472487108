import fc from 'fast-check'
import t from 'tap'
import type { Stamped } from '../../src/model/stamped.ts'
import { comparePlaces, OrderedRows, type WalkOptions } from '../../src/store/ordered-rows.ts'
import { ObjectRows } from '../../src/store/row-heap.ts'

function rowAt(createdAt: number, id = String(createdAt)): Stamped {
  return { id, version: 1, createdAt, updatedAt: null }
}

/** Rows in order, told of by themselves instead of by their numbers. */
class PlacedRows {
  readonly #heap = new ObjectRows()
  readonly #ordered = new OrderedRows(this.#heap)
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#ordered.size
  }

  get first(): Stamped | undefined {
    return this.#heap.get(this.#ordered.first ?? 0)
  }

  add(row: Stamped): void {
    const number = this.#numbers.get(keyOf(row)) ?? this.#heap.add(row)
    this.#numbers.set(keyOf(row), number)
    this.#ordered.add(number)
  }

  delete(row: Stamped): boolean {
    const number = this.#numbers.get(keyOf(row))
    if (number === undefined) return false
    const wasThere = this.#ordered.has(number) && this.#ordered.delete(number)
    this.#numbers.delete(keyOf(row))
    this.#heap.delete(number)
    return wasThere
  }

  *walk(options: WalkOptions = {}): Generator<Stamped> {
    for (const number of this.#ordered.walk(options)) yield this.#heap.get(number) as Stamped
  }
}

const keyOf = ({ createdAt, id }: Stamped) => `${createdAt} ${id}`

const ids = (rows: Iterable<Stamped>) => [...rows].map(({ id }) => id)

/** Enough for several chunks. */
const many = 5000

function rowsUpTo(count: number): PlacedRows {
  const rows = new PlacedRows()
  for (let i = 0; i < count; i += 1) rows.add(rowAt(i))
  return rows
}

t.test('places are ordered by time, and by id where the time is the same', async t => {
  t.ok(comparePlaces(rowAt(1, 'b'), rowAt(2, 'a')) < 0)
  t.ok(comparePlaces(rowAt(2, 'b'), rowAt(2, 'a')) > 0)
  t.equal(comparePlaces(rowAt(2, 'a'), rowAt(2, 'a')), 0)
})

t.test('a row that is in there already is not put in again', async t => {
  const rows = rowsUpTo(3)
  rows.add(rowAt(1))
  rows.add(rowAt(2))
  t.equal(rows.size, 3)
  t.same(ids(rows.walk()), ['0', '1', '2'])
})

t.test('a number is in there at the place of its row only', async t => {
  const heap = new ObjectRows()
  const rows = new OrderedRows(heap)
  const [first, second, other] = [0, 1, 2].map(at => heap.add(rowAt(at))) as [
    number,
    number,
    number,
  ]
  for (const number of [first, second]) rows.add(number)
  t.equal(rows.has(second), true)
  t.equal(rows.has(other), false)
  t.equal(rows.delete(other), false)
  rows.delete(second)
  t.equal(rows.has(second), false)
  t.equal(rows.isCounted, true)
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
  t.same(ids(new PlacedRows().walk({ after: rowAt(0), isDescending: true })), [])
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
      const rows = new PlacedRows()
      let plain: Stamped[] = []
      for (const { place, isPut } of steps) {
        const row = rowAt(place.createdAt, place.id)
        const rest = plain.filter(each => comparePlaces(each, row) !== 0)
        if (isPut) rows.add(row)
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
        rows.first?.id === plain[0]?.id &&
        sameRows(rows.walk(), plain) &&
        sameRows(rows.walk({ after, isDescending }), behind)
      )
    }),
  )
  t.pass()
})

t.test('rows that come in any order end up in one', async t => {
  const rows = new PlacedRows()
  // 2,003 is prime to the count, so this visits every place once, far from in order.
  for (let i = 0; i < many; i += 1) rows.add(rowAt((i * 2003) % many))
  t.ok(sameRows(rows.walk(), [...rowsUpTo(many).walk()]))
})

function sameRows(walked: Iterable<Stamped>, expected: readonly Stamped[]): boolean {
  const rows = [...walked]
  return (
    rows.length === expected.length &&
    rows.every((row, i) => comparePlaces(row, expected[i] as Stamped) === 0)
  )
}
