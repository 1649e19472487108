import fc from 'fast-check'
import t from 'tap'
import type { Stamped } from '../../../src/model/stamped.ts'
import { octetsOf, pageOctets } from '../../../src/service/listing/page-room.ts'
import {
  compareValues,
  type PageRequest,
  PageSelection,
} from '../../../src/service/listing/page-selection.ts'

type Thing = Stamped & { readonly weight: number | null; readonly records: readonly string[] }

const thing = fc.record({
  id: fc.uuid(),
  version: fc.constant(1),
  createdAt: fc.integer({ min: 0, max: 5 }),
  updatedAt: fc.constant(null),
  weight: fc.option(fc.integer({ min: 0, max: 5 })),
  records: fc.constantFrom([], [], ['long'], ['x'.repeat(pageOctets / 4)]),
})

/** Leaves out what has no room behind long rows; returns whether they fill the page. */
function cutAtOctets(rows: Thing[]): boolean {
  let octets = 0
  const last = rows.findIndex(row => {
    octets += octetsOf(row)
    return octets >= pageOctets
  })
  if (last >= 0) rows.length = last + 1
  return last >= 0
}

t.test(
  'any page of any order is what sorting everything and cutting it out would give',
  async t => {
    const things = fc.uniqueArray(thing, { selector: ({ id }) => id, maxLength: 60 })
    const request = fc.record({
      limit: fc.integer({ min: 1, max: 12 }),
      isDescending: fc.boolean(),
      isSorted: fc.boolean(),
      isFiltered: fc.boolean(),
      at: fc.integer({ min: -1, max: 59 }),
    })
    fc.assert(
      fc.property(things, request, (things, { limit, isDescending, isSorted, isFiltered, at }) => {
        const sortValue = ({ weight, createdAt }: Thing) => (isSorted ? weight : createdAt)
        const sign = isDescending ? -1 : 1
        const ordered = things.toSorted(
          (a, b) => sign * (compareValues(sortValue(a), sortValue(b)) || compareValues(a.id, b.id)),
        )
        const matches = ({ weight }: Thing) => weight !== 3
        const after = at < 0 ? undefined : ordered[at % ordered.length]
        const expected = ordered
          .slice(after === undefined ? 0 : ordered.indexOf(after) + 1)
          .filter(each => !isFiltered || matches(each))
          .slice(0, limit)
        const isCut = cutAtOctets(expected) || expected.length === limit
        const selection = new PageSelection<Thing>(requestOf(), { after })
        for (const each of things) selection.add(each)
        const { rows, totalCount, isFull } = selection.page
        const isCounted = totalCount === things.filter(each => !isFiltered || matches(each)).length
        return (
          isCounted &&
          isFull === isCut &&
          rows.length === expected.length &&
          rows.every((row, i) => row === expected[i])
        )

        function requestOf(): PageRequest<Thing> {
          return {
            limit,
            isDescending,
            marker: after?.id,
            sortBy: isSorted ? ({ weight }) => weight : undefined,
            matches: isFiltered ? matches : undefined,
          }
        }
      }),
    )
    t.pass()
  },
)

t.test('the sort attribute of a row is asked for once', async t => {
  let asked = 0
  const sortBy = ({ weight }: Thing) => {
    asked += 1
    return weight
  }
  const request = { limit: 5, isDescending: false, marker: undefined, matches: undefined, sortBy }
  const selection = new PageSelection<Thing>(request, { after: undefined })
  for (let i = 0; i < 100; i += 1) {
    const stamp = { id: `${i}`, version: 1, createdAt: 1, updatedAt: null }
    selection.add({ ...stamp, weight: (i * 37) % 100, records: [] })
  }
  t.same(
    selection.page.rows.map(({ weight }) => weight),
    [0, 1, 2, 3, 4],
  )
  t.equal(asked, 100)
})

t.test('it says when rows in the list’s order have no chance any more', async t => {
  const request = {
    limit: 2,
    isDescending: false,
    marker: undefined,
    matches: undefined,
    sortBy: undefined,
  }
  const selection = new PageSelection<Thing>(request, { after: undefined })
  const chances = Array.from({ length: 6 }, (_, i) => {
    const stamp = { id: `${i}`, version: 1, createdAt: i, updatedAt: null }
    return selection.add({ ...stamp, weight: null, records: [] })
  })
  t.same(chances, [true, true, true, true, false, false])
})
