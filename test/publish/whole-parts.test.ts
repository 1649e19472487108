import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { wholeParts } from '../../src/publish/whole-parts.ts'
import type { Edit } from '../../src/zone/edits.ts'
import { rrsetsFromText } from '../helpers/zone.ts'

const [soa, address] = rrsetsFromText(`
  example. 300 SOA ns1 hostmaster 1 7200 900 1209600 300
  a        60  A   192.0.2.1
`)

function edit(name: string, type: number, rrset = address): Edit {
  return { recordsetId: name, owner: parseName(name), type, rrset }
}

const gone = (name: string, type: number): Edit => ({ ...edit(name, type), rrset: undefined })
const idsOf = (edits: readonly Edit[], count: number) =>
  [...wholeParts(edits, count)].map(part => part.map(({ recordsetId }) => recordsetId))

t.test('few edits are one part, also none', async t => {
  t.same(idsOf([], 2), [[]])
  const few = [edit('example.', types.SOA, soa), gone('a.example.', types.A)]
  t.same(idsOf(few, 2), [['example.', 'a.example.']])
})

t.test('an owner is in one part, additions before removals, the SOA last', async t => {
  const many = [
    edit('example.', types.SOA, soa),
    gone('a.example.', types.A),
    gone('b.example.', types.TXT),
    edit('c.example.', types.A),
    edit('B.example.', types.A),
    edit('d.example.', types.A),
  ]
  t.same(idsOf(many, 2), [
    ['b.example.', 'B.example.', 'c.example.'],
    ['d.example.', 'a.example.'],
    ['example.'],
  ])
})
