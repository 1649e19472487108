import t from 'tap'
import {
  newFieldErrors,
  type RecordDraft,
  recordDataOf,
  recordDraftErrors,
  recordValueOf,
} from '../../src/model/record-draft.ts'

function draftOf(fields: Partial<RecordDraft>): RecordDraft {
  return {
    name: 'www.example.',
    type: 'A',
    data: '192.0.2.1',
    priority: null,
    ttlSeconds: null,
    description: null,
    ...fields,
  }
}

t.test('data and priority are one value of a recordset, and back', async t => {
  const rows: readonly [type: string, data: string, priority: number | null, value: string][] = [
    ['A', '192.0.2.1', null, '192.0.2.1'],
    ['MX', 'mail.example.', 10, '10 mail.example.'],
    ['MX', '.', 0, '0 .'],
    ['SRV', '0 5060 sip.example.', 65_535, '65535 0 5060 sip.example.'],
    ['SSHFP', '1 2 00', null, '1 2 00'],
    ['TXT', '"a" "b"', null, '"a" "b"'],
    ['TXT', 'one', null, 'one'],
  ]
  for (const [type, data, priority, value] of rows) {
    t.equal(recordValueOf(draftOf({ type, data, priority })), value)
    t.same(recordDataOf(type, value), { data, priority })
  }
})

t.test('a value of a recordset in any form has its priority taken off', async t => {
  t.same(recordDataOf('MX', '10 \t mail.example.'), { priority: 10, data: 'mail.example.' })
  t.same(recordDataOf('SRV', '010 1  2 a.'), { priority: 10, data: '1  2 a.' })
  t.same(recordDataOf('MX', '\\# 3 000A00'), { priority: null, data: '\\# 3 000A00' })
})

t.test('a text with blanks becomes one string', async t => {
  const value = (data: string) => recordValueOf(draftOf({ type: 'TXT', data }))
  t.equal(value('v=spf1 mx ~all'), '"v=spf1 mx ~all"')
  t.equal(value('a "b" \\c'), '"a \\"b\\" \\\\c"')
})

t.test('every rule tells where it is broken', async t => {
  const paths = (fields: Partial<RecordDraft>) =>
    recordDraftErrors(draftOf(fields)).flatMap(error =>
      error === undefined ? [] : error.path.join(),
    )
  t.same(paths({}), [])
  t.same(paths({ type: 'SOA' }), ['type'])
  t.same(paths({ name: 'www' }), ['name'])
  t.same(paths({ data: 'x' }), ['data'])
  t.same(paths({ priority: 1 }), ['priority'])
  t.same(paths({ type: 'MX', data: 'a.' }), [''], 'required')
  t.same(paths({ type: 'AAAA' }), ['data'])
})

t.test('what is not new need not be as narrow', async t => {
  const long = draftOf({ type: 'TXT', data: `"${'a'.repeat(254)}"` })
  const ptr = draftOf({ type: 'PTR', name: '_http._tcp.example.', data: 'a.example.' })
  const paths = (draft: RecordDraft, before?: RecordDraft) =>
    newFieldErrors(draft, before).flatMap(error => error?.path ?? [])
  t.same(paths(long), ['data'])
  t.same(paths({ ...long, ttlSeconds: 1 }, long), [])
  t.same(paths(ptr), ['name'])
  t.same(paths({ ...ptr, data: 'b.example.' }, ptr), [])
  t.same(paths({ ...ptr, name: '_x._tcp.example.' }, ptr), ['name'])
})
