import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { type Edit, HeldEdits, inOrder } from '../../src/zone/edits.ts'

function edit(name: string, type: number, { isGone = false, id = name } = {}): Edit {
  const owner = parseName(name)
  const rrset = isGone ? undefined : { owner, type, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }
  return { recordsetId: id, owner, type, rrset }
}

const soa = edit('example.', types.SOA)
const gone = edit('old.example.', types.A, { isGone: true })
const fresh = edit('new.example.', types.A)
const both = edit('new.example.', types.AAAA)

t.test('what is new comes before what is gone, and the serial last', async t => {
  t.strictSame(inOrder([soa, gone, fresh]), [fresh, gone, soa])
  const held = new HeldEdits()
  for (const each of [soa, gone]) held.put(each)
  t.strictSame([...held.completedWith([fresh, both])].slice(-2), [gone, soa])
})

t.test('of several edits of one RRset only the last is made', async t => {
  const back = edit('OLD.example.', types.A, { id: 'back' })
  t.strictSame(inOrder([gone, back]), [back])
  const held = new HeldEdits()
  for (const each of [gone, fresh, both]) held.put(each)
  const ids = [...held.completedWith([back])].map(({ recordsetId }) => recordsetId)
  t.strictSame(ids.sort(), ['back', 'new.example.', 'new.example.'])
})
