import t from 'tap'
import {
  changeSetOf,
  type Edit,
  editsOf,
  problemsOf,
  withEdit,
  withoutEdit,
} from '../../src/console/records/edits.ts'
import { recordset } from './recordset.ts'

const before = { ...recordset, ttl: 300 }
const draft = { name: before.name, type: 'A', ttl: 300, records: ['192.0.2.2'] }
const made: Edit = { kind: 'create', key: 'new', draft: { ...draft, name: 'ftp' } }
const changed: Edit = { kind: 'replace', key: 'r1', draft, before }
const gone: Edit = { kind: 'delete', key: 'r2', before: { ...before, id: 'r2' } }

t.test('a record set is edited once, however often it is touched', async t => {
  const twice = withEdit([made, changed], { ...changed, draft: { ...draft, ttl: 60 } })
  t.equal(twice.length, 2)
  t.same(changeSetOf(twice).replace[0]?.ttl, 60)
  t.same(withEdit([changed], { kind: 'delete', key: 'r1', before }), [
    { kind: 'delete', key: 'r1', before },
  ])
})

t.test('what is as it was is no edit', async t => {
  t.same(withEdit([changed], { ...changed, draft: { ...draft, records: ['192.0.2.1'] } }), [])
  t.same(withoutEdit([made, changed], 'new'), [changed])
})

t.test('edits of record sets that others have changed are those of what is there now', async t => {
  const now = (id: string, address: string) => ({ ...before, id, records: [address] })
  const of = (...rows: readonly (typeof before)[]) => new Map(rows.map(row => [row.id, row]))
  const both = of(now('r1', '192.0.2.3'), now('r2', '192.0.2.4'))
  t.strictSame(editsOf([made, changed, gone], both), [
    made,
    { ...changed, before: now('r1', '192.0.2.3') },
    { ...gone, before: now('r2', '192.0.2.4') },
  ])
  t.strictSame(editsOf([changed, gone], of(now('r1', '192.0.2.2'))), [], 'others have made them')
  t.strictSame(editsOf([changed], of()), [{ kind: 'create', key: 'r1', draft }])
})

t.test('all edits are one change set that says what was there', async t => {
  const expected = { ttl: 300, records: ['192.0.2.1'] }
  t.strictSame(changeSetOf([made, changed, gone]), {
    create: [{ ...draft, name: 'ftp' }],
    replace: [{ id: 'r1', ttl: 300, records: ['192.0.2.2'], expected }],
    delete: [{ id: 'r2', expected }],
  })
})

t.test('what the server refuses is found at its edit and its value', async t => {
  const fields = [
    { path: ['create', 0, 'records', 0], message: 'no address' },
    { path: ['replace', 0, 'ttl'], message: 'too low' },
    { path: ['replace', 7], message: 'of another set' },
  ]
  t.strictSame(problemsOf([gone, made, changed], fields), [
    { key: 'new', record: 0, message: 'no address' },
    { key: 'r1', record: undefined, message: 'too low' },
  ])
})
