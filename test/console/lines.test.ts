import t from 'tap'
import { draftsOf, linesOf } from '../../src/console/records/lines.ts'
import { recordset } from './recordset.ts'

const row = { ...recordset, records: ['192.0.2.1', '192.0.2.2'] }

t.test('what is copied is what is pasted', async t => {
  const text = linesOf([
    row,
    { ...row, name: 'example.com.', type: 'MX', ttl: 60, records: ['10 m.'] },
  ])
  t.same(draftsOf(text), {
    drafts: [
      { name: 'www', type: 'A', ttl: null, records: ['192.0.2.1', '192.0.2.2'] },
      { name: '@', type: 'MX', ttl: 60, records: ['10 m.'] },
    ],
    problems: [],
  })
})

t.test('lines are read as people write them', async t => {
  const drafts = (text: string) => draftsOf(text).drafts
  t.same(drafts('a 60 IN A 192.0.2.1 ; office'), [
    { name: 'a', type: 'A', ttl: 60, records: ['192.0.2.1'] },
  ])
  t.same(drafts('a IN 60 txt "x;  y"'), [{ name: 'a', type: 'TXT', ttl: 60, records: ['"x;  y"'] }])
  t.same(
    drafts('a A 192.0.2.1\n  AAAA 2001:db8::1').map(({ name }) => name),
    ['a', 'a'],
  )
  t.same(drafts('mx MX 10 mail'), [{ name: 'mx', type: 'MX', ttl: null, records: ['10 mail'] }])
  t.same(drafts('; nothing\n\n'), [])
})

t.test('a line that is no record is named', async t => {
  t.same(draftsOf('a A 192.0.2.1\nhello\nb NOTYPE x\nc A').problems, [
    { line: 2, text: 'hello' },
    { line: 3, text: 'b NOTYPE x' },
    { line: 4, text: 'c A' },
  ])
})
