import t from 'tap'
import { TsigKeys } from '../../../src/service/pools/tsig-keys.ts'
import { AdminRows } from '../../../src/service/rules/admin-rows.ts'
import { Blacklists } from '../../../src/service/rules/blacklists.ts'
import { Tlds } from '../../../src/service/rules/tlds.ts'
import { everyRow, openDns } from '../../helpers/dns.ts'
import { refusal } from '../../helpers/refusal.ts'

const { store, served } = await openDns()
const tlds = new Tlds(store)

t.test('blacklists, TLDs and TSIG keys are kept in one way', async t => {
  for (const rows of [tlds, new Blacklists(store), new TsigKeys(store)])
    t.ok(rows instanceof AdminRows)
})

t.test('a row is made, changed and removed, and counts its writes', async t => {
  const made = await tlds.create({ name: 'Example', description: null })
  t.match(made, { version: 1, updatedAt: null, name: 'Example' })
  const changed = await tlds.update(made.id, { description: 'text', name: undefined })
  t.match(changed, { version: 2, name: 'Example', description: 'text' })
  t.ok((changed.updatedAt ?? 0) > made.createdAt)
  t.same(tlds.get(made.id), changed)
  t.same(tlds.list(everyRow), { rows: [changed], totalCount: 1, isFull: false })
  await tlds.delete(made.id)
  t.throws(() => tlds.get(made.id), refusal('tld_not_found'))
  await t.rejects(tlds.update(made.id, {}), refusal('tld_not_found'))
  await t.rejects(tlds.delete(made.id), refusal('tld_not_found'))
})

t.test('what is refused leaves nothing behind', async t => {
  const made = await tlds.create({ name: 'example', description: null })
  await t.rejects(tlds.create({ name: 'EXAMPLE', description: null }), refusal('duplicate_tld'))
  await t.rejects(tlds.create({ name: 'a.', description: null }), refusal('invalid_object'))
  await t.rejects(tlds.update(made.id, { name: 'a.' }), refusal('invalid_object'))
  t.same(tlds.list(everyRow).rows, [made])
  t.equal(served.size, 0, 'nothing of it is served')
})

t.test('a key whose pool or zone is gone can be given another, and no unknown one', async t => {
  const keys = new TsigKeys(store)
  const draft = {
    name: 'key.',
    algorithm: 'hmac-sha256',
    secret: 'c2VjcmV0',
    scope: 'POOL',
    resourceId: [...store.list('pools', 'all', '')][0]?.id ?? '',
  } as const
  const key = await keys.create(draft)
  // As in Designate, whose own suite gives the id of a pool with either scope.
  t.match(await keys.update(key.id, { scope: 'ZONE' }), { scope: 'ZONE' })
  await t.rejects(keys.update(key.id, { resourceId: key.id }), refusal('invalid_tsigkey'))
  await t.rejects(keys.create({ ...draft, name: 'KEY' }), refusal('duplicate_tsigkey'))
})
