import t from 'tap'
import type { Recordset } from '../../src/model/recordset.ts'
import { recordsetDraftErrors, recordsetPatchErrors } from '../../src/model/recordset-draft.ts'
import { addresses } from '../helpers/dns.ts'

t.test('all that is wrong with a recordset is reported at once', async t => {
  const draft = { ...addresses('www', 'x', 'y'), type: 'A' }
  const paths = recordsetDraftErrors(draft).flatMap(error => (error ? [error.path] : []))
  t.same(paths, [['name'], ['records', 0], ['records', 1]])
})

t.test('the values of an unknown type are not judged', async t => {
  const draft = { ...addresses('www.example.', 'x'), type: 'NONSENSE' }
  const paths = recordsetDraftErrors(draft).flatMap(error => (error ? [error.path] : []))
  t.same(paths, [['type']])
})

t.test('name and type may be sent unchanged, and values must fit the type there is', async t => {
  const recordset = { ...addresses('www.example.'), type: 'A' } as unknown as Recordset
  const paths = (patch: Parameters<typeof recordsetPatchErrors>[1]) =>
    recordsetPatchErrors(recordset, patch).flatMap(error => (error ? [error.path] : []))
  t.same(paths({ name: 'WWW.example.', type: 'A' }), [])
  t.same(paths({ name: 'w.example.', type: 'AAAA' }), [['name'], ['type']])
  t.same(paths({ records: ['2001:db8::1'] }), [['records', 0]])
})
