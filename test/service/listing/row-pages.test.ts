import t from 'tap'
import { pagesOf, rowPages } from '../../../src/service/listing/row-pages.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'

t.test('all rows of a group come, each once, also while others come and go', async t => {
  const { store, zones } = await openDns()
  const zone = await zones.create(callerOf('one'), primary('example.com.'))
  await store.commit(tx => {
    for (let i = 0; i < 1_200; i += 1) {
      const stamp = { id: `r${i}`, version: 1, createdAt: tx.atMicros + i, updatedAt: null }
      const own = { zoneId: zone.id, isManaged: false }
      tx.put('recordsets', { ...stamp, ...addresses(`h${i}.example.com.`), ...own })
    }
  })
  const seen: string[] = []
  let pageCount = 0
  for (const page of rowPages(store, 'recordsets', { index: 'byZone', key: zone.id })) {
    pageCount += 1
    seen.push(...page.map(({ id }) => id))
    const last = page.at(-1)
    await store.commit(tx => {
      if (last !== undefined) tx.delete('recordsets', last.id)
    })
  }
  t.equal(pageCount, 3)
  t.equal(new Set(seen).size, 1_202)
  t.equal(seen.length, 1_202)
  t.same([...rowPages(store, 'recordsets', { index: 'byZone', key: 'none' })], [[]])
})

t.test('pages of long rows have fewer', async t => {
  const rows = Array.from({ length: 10 }, (_, i) => {
    const stamp = { id: `r${i}`, version: 1, createdAt: i, updatedAt: null }
    return { ...stamp, records: ['x'.repeat(100_000)] }
  })
  const walk = ({ after }: { after?: unknown }) => rows.slice(rows.indexOf(after as never) + 1)
  const pages = [...pagesOf(walk)]
  t.same(
    pages.map(({ length }) => length),
    [3, 3, 3, 1],
  )
  t.same(pages.flat(), rows)
})
