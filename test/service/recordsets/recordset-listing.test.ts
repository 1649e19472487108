import t from 'tap'
import type { Recordset } from '../../../src/model/recordset.ts'
import type { Zone } from '../../../src/model/zone.ts'
import type { PageRequest } from '../../../src/service/listing/listing.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const one = callerOf('one')
const two = callerOf('two')
const dns = await openDns()

// Recordsets made by turns in several zones, one of them shared, so that creation order crosses all.
const own: Zone[] = []
for (const name of ['a.example.', 'b.example.', 'c.example.']) {
  own.push(await dns.zones.create(one, primary(`zone.${name}`)))
}
const theirs = await dns.zones.create(two, primary('zone.d.example.'))
await dns.zoneShares.create(two, theirs.id, 'one')
for (let i = 0; i < 60; i += 1) {
  const zone = [...own, theirs][i % 4] ?? theirs
  const by = zone === theirs && i % 8 === 7 ? two : one
  await dns.recordsets.create(by, zone.id, addresses(`h${(i * 7) % 60}.${zone.name}`))
}

/** All that is the caller's, in order of creation: a walk over everything. */
function oracle(projectId: string): Recordset[] {
  const zones = [...own, theirs]
  return zones
    .flatMap(zone => [...dns.store.list('recordsets', 'byZone', zone.id)])
    .filter(row => {
      const placed = dns.recordsets.found(row)
      return placed?.zone.projectId === projectId || placed?.projectId === projectId
    })
    .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
}

type Request = PageRequest<Recordset> & { readonly name: string | undefined }

async function pagesOf(caller: typeof one, request: Omit<Request, 'marker'>): Promise<string[]> {
  const ids: string[] = []
  let marker: string | undefined
  for (;;) {
    const { rows } = await dns.recordsets.listAll(caller, { ...request, marker })
    ids.push(...rows.map(({ id }) => id))
    if (rows.length < request.limit) return ids
    marker = rows.at(-1)?.id
  }
}

const byCreation = { isDescending: false, sortBy: undefined, matches: undefined, name: undefined }

t.test('pages of any size hold what a walk over everything finds, in its order', async t => {
  for (const [caller, projectId] of [
    [one, 'one'],
    [two, 'two'],
  ] as const) {
    const expected = oracle(projectId)
    for (const limit of [1, 7, 20, 1000]) {
      const ids = expected.map(({ id }) => id)
      t.same(await pagesOf(caller, { ...byCreation, limit }), ids)
      t.same(await pagesOf(caller, { ...byCreation, limit, isDescending: true }), ids.toReversed())
      const matches = ({ name }: Recordset) => name.startsWith('h1')
      t.same(
        await pagesOf(caller, { ...byCreation, limit, matches }),
        expected.filter(matches).map(({ id }) => id),
      )
      const sorted = expected.toSorted((a, b) =>
        a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1,
      )
      t.same(
        await pagesOf(caller, { ...byCreation, limit, sortBy: ({ name }) => name }),
        sorted.map(({ id }) => id),
      )
    }
    const { totalCount } = await dns.recordsets.listAll(caller, {
      ...byCreation,
      limit: 1,
      marker: undefined,
    })
    t.equal(totalCount, expected.length)
  }
})

t.test('one name is found without a walk, in every zone that could hold it', async t => {
  for (const row of oracle('one')) {
    const request = { ...byCreation, limit: 10, name: row.name.toUpperCase() }
    const found = await pagesOf(one, request)
    t.ok(found.includes(row.id))
    t.ok(found.length <= 2)
  }
  const hidden = oracle('two').filter(row => dns.recordsets.found(row)?.projectId === 'two')
  for (const { name, id, type } of hidden) {
    const found = await pagesOf(one, { ...byCreation, limit: 10, name })
    t.notOk(found.includes(id), `${name} ${type} is not the caller’s`)
  }
})

t.test('a marker is a row of the list', async t => {
  const [hidden] = oracle('two').filter(row => dns.recordsets.found(row)?.projectId === 'two')
  for (const marker of ['none', hidden?.id]) {
    const list = dns.recordsets.listAll(one, { ...byCreation, limit: 1, marker })
    await t.rejects(list, refusal('marker_not_found'))
  }
})
