import t from 'tap'
import type { Stamped } from '../../../src/model/stamped.ts'
import {
  type Listing,
  type PageRequest,
  pageInSlices,
  pageOf,
} from '../../../src/service/listing/listing.ts'
import type { ListOptions } from '../../../src/store/store.ts'
import { refusal } from '../../helpers/refusal.ts'

type Thing = Stamped & { readonly name: string | null }

// Made in pairs at one time, so that ids decide between the two; names repeat and may be missing.
const things: readonly Thing[] = Array.from({ length: 10 }, (_, i) => ({
  id: `id-${i}`,
  version: 1,
  createdAt: 100 + (i >> 1),
  updatedAt: null,
  name: i === 7 ? null : `name-${i % 3}`,
}))

let walked = 0

const listing: Listing<Thing> = {
  *walk({ after, isDescending = false }: ListOptions) {
    const ordered = isDescending ? things.toReversed() : things
    const from =
      after === undefined ? 0 : ordered.findIndex(({ id }) => 'id' in after && id === after.id) + 1
    for (const thing of ordered.slice(from)) {
      walked += 1
      yield thing
    }
  },
  count: () => things.length,
  find: id => things.find(thing => thing.id === id),
}

const byCreation: PageRequest<Thing> = {
  limit: 3,
  marker: undefined,
  isDescending: false,
  sortBy: undefined,
  matches: undefined,
}

/** Follows the markers as a client does. */
async function allPages(request: PageRequest<Thing>): Promise<string[]> {
  const ids: string[] = []
  for (let marker: string | undefined; ; ) {
    const page = pageOf(listing, { ...request, marker })
    t.same(await pageInSlices(listing, { ...request, marker }), page)
    const { rows, isFull } = page
    ids.push(...rows.map(({ id }) => id))
    marker = rows.at(-1)?.id
    t.equal(isFull, rows.length === request.limit)
    if (!isFull) return ids
  }
}

function ids(...numbers: number[]): string[] {
  return numbers.map(number => `id-${number}`)
}

t.test('pages by creation cost their own rows only, and know how many there are', async t => {
  for (const marker of [undefined, 'id-2', 'id-5']) {
    walked = 0
    const page = pageOf(listing, { ...byCreation, marker })
    t.equal(page.rows.length, 3)
    t.equal(page.totalCount, 10)
    t.ok(walked <= 4)
  }
})

t.test('following markers gives each row once, in order', async t => {
  const rows: [rule: string, changes: Partial<PageRequest<Thing>>, expected: string[]][] = [
    ['by creation', {}, ids(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)],
    ['backwards', { isDescending: true }, ids(9, 8, 7, 6, 5, 4, 3, 2, 1, 0)],
    ['filtered', { matches: ({ name }) => name === 'name-0' }, ids(0, 3, 6, 9)],
    [
      'filtered backwards',
      { matches: ({ name }) => name === 'name-0', isDescending: true },
      ids(9, 6, 3, 0),
    ],
    [
      'sorted, null first, ids between equals',
      { sortBy: ({ name }) => name },
      ids(7, 0, 3, 6, 9, 1, 4, 2, 5, 8),
    ],
    [
      'sorted backwards',
      { sortBy: ({ name }) => name, isDescending: true },
      ids(8, 5, 2, 4, 1, 9, 6, 3, 0, 7),
    ],
    [
      'sorted and filtered',
      { sortBy: ({ name }) => name, matches: ({ createdAt }) => createdAt > 102 },
      ids(7, 6, 9, 8),
    ],
  ]
  for (const [rule, changes, expected] of rows) {
    for (const limit of [1, 2, 3, 10, 11]) {
      t.same(
        await allPages({ ...byCreation, ...changes, limit }),
        expected,
        `${rule}, ${limit} a page`,
      )
    }
  }
})

t.test('the total counts what matches, not what a page holds', async t => {
  const matches = ({ name }: Thing) => name === 'name-0'
  t.equal(pageOf(listing, { ...byCreation, limit: 1, marker: 'id-6', matches }).totalCount, 4)
  const sortBy = ({ name }: Thing) => name
  t.equal(
    pageOf(listing, { ...byCreation, limit: 1, marker: 'id-6', matches, sortBy }).totalCount,
    4,
  )
})

t.test('a marker need not match the filter, but must exist', async t => {
  const matches = ({ name }: Thing) => name === 'name-0'
  const { rows } = pageOf(listing, { ...byCreation, marker: 'id-4', matches })
  t.same(
    rows.map(({ id }) => id),
    ids(6, 9),
  )
  t.throws(() => pageOf(listing, { ...byCreation, marker: 'id-99' }), refusal('marker_not_found'))
})

t.test('a page ends early where its rows are long, and says that another one follows', async t => {
  const long = things.map((thing, i) => ({ ...thing, records: ['x'.repeat(i << 18)] }))
  const ofLong: Listing<Thing> = { ...listing, walk: () => long }
  const { rows, isFull } = pageOf(ofLong, { ...byCreation, limit: 10 })
  t.equal(rows.length, 5)
  t.equal(isFull, true)
})

t.test('others have their turn while a long list is looked through', async t => {
  let turns = 0
  let isOver = false
  const takeTurns = () => {
    turns += 1
    if (!isOver) setImmediate(takeTurns)
  }
  setImmediate(takeTurns)
  const long: Listing<Thing> = {
    ...listing,
    *walk() {
      for (let i = 0; i < 200_000; i += 1) yield things[i % things.length] as Thing
    },
  }
  const matches = ({ name }: Thing) => JSON.stringify(name) === '"name-0"'
  const page = await pageInSlices(long, { ...byCreation, limit: 1, matches })
  isOver = true
  t.equal(page.totalCount, 80_000)
  t.ok(turns > 1, `${turns} turns`)
})

t.test('a page by name comes from an index, unless rows are filtered', async t => {
  const named = things.toSorted((one, other) => ((one.name ?? '') < (other.name ?? '') ? -1 : 1))
  const byName = { ...byCreation, sortBy: (thing: Thing) => thing.name, isByName: true }
  const indexed: Listing<Thing> = {
    ...listing,
    walkByName: ({ after }) =>
      named.slice(after === undefined ? 0 : named.indexOf(after as Thing) + 1),
  }
  walked = 0
  const marker = named[2]?.id
  const page = await pageInSlices(indexed, { ...byName, marker })
  t.same(page, { rows: named.slice(3, 6), totalCount: things.length, isFull: true })
  t.same(pageOf(indexed, { ...byName, marker }), page)
  t.equal(walked, 0)
  t.same((await pageInSlices(indexed, { ...byName, matches: () => false })).rows, [])
  t.equal(walked, things.length)
})

t.test('a page by creation is of one moment, however many are asked for at once', async t => {
  let turn = 0
  const count = () => {
    turn += 1
    if (turn < 100) setImmediate(count)
  }
  count()
  const pages = Array.from({ length: 5 }, async () => {
    const turns = new Set<number>()
    const walk = function* () {
      for (let i = 0; i < 4; i += 1) {
        for (const until = performance.now() + 3; performance.now() < until; );
        turns.add(turn)
        yield { id: String(i), version: 1, createdAt: i, updatedAt: null }
      }
    }
    const listing = { walk, count: () => turns.add(turn).size, find: () => undefined }
    const request = { limit: 10, marker: undefined, isDescending: false }
    return pageInSlices(listing, { ...request, sortBy: undefined, matches: undefined })
  })
  for (const page of pages) t.match(await page, { rows: { length: 4 }, totalCount: 1 })
  t.ok(turn > 1, 'others had their turn between two pages')
})
