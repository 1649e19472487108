import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatName, type Name, parseName } from '../../src/dns/name.ts'
import { type Edit, StagedEdits } from '../../src/zone/edits.ts'

function edit(name: string, type: number, { isGone = false, id = name } = {}): Edit {
  const owner = parseName(name)
  const rrset = isGone ? undefined : { owner, type, ttlSeconds: 60, rdatas: [new Uint8Array(4)] }
  return { recordsetId: id, owner, type, rrset }
}

const root = new Uint8Array(1)
const soa = edit('example.', types.SOA)
const gone = edit('old.example.', types.A, { isGone: true })
const fresh = edit('new.example.', types.A)
const both = edit('new.example.', types.AAAA)

/** Types of each name in the order that they are made in; `has`: what there is. */
function ordered(edits: readonly Edit[], { has = [] as string[], size = 'small' as const } = {}) {
  const findRrset = (owner: Name, type: number) =>
    has.includes(`${owner} ${type}`) ? { type, ttlSeconds: 60, rdatas: [root] } : undefined
  const staged = new StagedEdits({ findRrset }, size)
  for (const each of edits) staged.put(each)
  return [...staged.inOrder()].map(({ owner, edits: ofName, part }) => [
    formatName(owner),
    part,
    ofName.map(({ type }) => type),
  ])
}

t.test('what is new comes before what is gone, and the serial last', async t => {
  const expected = [
    ['new.example.', 'all', [types.A]],
    ['old.example.', 'all', [types.A]],
    ['example.', 'soa', [types.SOA]],
  ]
  t.strictSame(ordered([soa, gone, fresh]), expected)
})

t.test('of several edits of one RRset only the last is made', async t => {
  const back = edit('OLD.example.', types.A, { id: 'back' })
  const staged = new StagedEdits({ findRrset: () => undefined }, 'large')
  for (const each of [gone, fresh, both, back]) staged.put(each)
  const made = [...staged.inOrder()].flatMap(({ edits }) => edits)
  t.strictSame(made.map(({ recordsetId }) => recordsetId).sort(), [
    'back',
    'new.example.',
    'new.example.',
  ])
})

t.test(
  'a name that gets an NSEC comes first, one that loses it last, each with all it has',
  async t => {
    const links = [
      edit('a.example.', types.NSEC),
      edit('a.example.', types.RRSIG),
      edit('gone.example.', types.NSEC, { isGone: true }),
      edit('gone.example.', types.A, { isGone: true }),
      edit('example.', types.SOA),
      edit('example.', types.RRSIG),
      edit('b.example.', types.A),
      edit('b.example.', types.NSEC),
      edit('b.example.', types.RRSIG),
    ]
    t.strictSame(
      ordered(links, {
        has: ['a', 'gone'].map(name => `${parseName(`${name}.example.`)} ${types.NSEC}`),
      }),
      [
        ['b.example.', 'all', [types.A, types.NSEC, types.RRSIG]],
        ['example.', 'rest', [types.SOA, types.RRSIG]],
        ['a.example.', 'all', [types.NSEC, types.RRSIG]],
        ['gone.example.', 'all', [types.NSEC, types.A]],
        ['example.', 'soa', [types.SOA, types.RRSIG]],
      ],
    )
  },
)
