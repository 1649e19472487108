import t from 'tap'
import {
  type CatalogMember,
  CatalogReader,
  catalogErrors,
  catalogMemberErrors,
  labelIn,
  memberRecordsets,
  versionRecordset,
} from '../../src/model/catalog.ts'

const catalog = 'Catalog.example.'

function read(...lines: readonly (readonly [name: string, type: string, ...records: string[]])[]) {
  const reader = new CatalogReader(catalog)
  for (const [name, type, ...records] of lines) reader.add({ name, type, records })
  return reader.read()
}

const version = ['version.catalog.example.', 'TXT', '"2"'] as const

t.test('what is written of members is read again', async t => {
  const members: CatalogMember[] = [
    { label: 'a1', name: 'One.example.' },
    { label: 'b2', name: 'two.example.', group: 'with "quotes" and \\', coo: 'next.example.' },
  ]
  const recordsets = [
    versionRecordset(catalog),
    ...members.flatMap(member => memberRecordsets(catalog, member.label, member)),
  ]
  t.equal(recordsets.length, 7)
  const rows = recordsets.map(({ name, type, records }) => [name, type, ...records] as const)
  t.strictSame(read(...rows.filter(([, , record]) => record !== undefined)), {
    kind: 'read',
    members,
  })
})

t.test('RFC 9432 4: a catalog that is not in order changes nothing', async t => {
  const member = ['x.zones.catalog.example.', 'PTR', 'a.example.'] as const
  const rows: [rule: string, contents: ReturnType<typeof read>][] = [
    ['no version', read(member)],
    ['another version', read(['version.catalog.example.', 'TXT', '"1"'], member)],
    ['two versions', read(['version.catalog.example.', 'TXT', '"2"', '"1"'], member)],
    ['two names of a member', read(version, ['x.zones.catalog.example.', 'PTR', 'a.', 'b.'])],
    ['a name twice', read(version, member, ['y.zones.catalog.example.', 'PTR', 'A.example.'])],
  ]
  for (const [rule, contents] of rows) t.equal(contents.kind, 'broken', rule)
})

t.test('what is unknown is passed over, and a property with several values', async t => {
  const contents = read(
    version,
    ['@', 'NS', 'invalid.'],
    ['x.zones.catalog.example.', 'PTR', 'a.example.'],
    ['other.x.zones.catalog.example.', 'PTR', 'b.example.'],
    ['x.ext.catalog.example.', 'PTR', 'c.example.'],
    ['group.x.zones.catalog.example.', 'TXT', '"a"', '"b"'],
    ['coo.x.zones.catalog.example.', 'PTR', 'c.example.', 'd.example.'],
  )
  t.strictSame(contents, { kind: 'read', members: [{ label: 'x', name: 'a.example.' }] })
})

t.test('the label of a member, and of nothing else', async t => {
  t.equal(labelIn(catalog, 'group.A1.zones.CATALOG.example.'), 'a1')
  t.equal(labelIn(catalog, 'a1.zones.catalog.example.'), 'a1')
  t.equal(labelIn(catalog, 'version.catalog.example.'), undefined)
})

t.test('a catalog is PRIMARY or SECONDARY as it is produced or consumed', async t => {
  const problems = (type: 'PRIMARY' | 'SECONDARY', role: string) =>
    catalogErrors({ type, attributes: { catalog: role } }).length
  t.equal(problems('PRIMARY', 'producer'), 0)
  t.equal(problems('SECONDARY', 'consumer'), 0)
  t.equal(problems('SECONDARY', 'producer'), 1)
  t.equal(problems('PRIMARY', 'yes'), 1)
  t.strictSame(catalogErrors({ type: 'PRIMARY', attributes: {} }), [])
  t.equal(catalogMemberErrors({ catalog_group: 'ä', catalog_coo: 'no dot' }).length, 2)
  t.strictSame(catalogMemberErrors({ catalog_group: '', catalog_coo: 'a.example.' }), [])
})
