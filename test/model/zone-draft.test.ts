import t from 'tap'
import {
  type ZoneDraft,
  zoneDraftErrors,
  zoneFieldErrors,
  zonePatchErrors,
} from '../../src/model/zone-draft.ts'
import { primary, secondary } from '../helpers/dns.ts'
import { newSecondary } from '../helpers/secondary-zone.ts'

t.test('what a new zone must and must not say depends on its type', async t => {
  const rows: [ZoneDraft, string[]][] = [
    [primary('example.com.'), []],
    [primary('example.com.', { email: null }), ["'email' is a required property"]],
    [
      primary('example.com.', { masters: ['192.0.2.1'] }),
      ["'masters' are for SECONDARY zones only"],
    ],
    [secondary('example.com.'), []],
    [
      secondary('example.com.', { email: 'ops@example.com', ttlSeconds: 60 }),
      ["'email' of a SECONDARY zone is its master’s", "'ttl' of a SECONDARY zone is its master’s"],
    ],
  ]
  for (const [draft, expected] of rows) {
    const errors = zoneDraftErrors(draft).filter(error => error !== undefined)
    t.same(
      errors.map(({ message }) => message),
      expected,
      expected[0] ?? draft.type,
    )
  }
})

t.test('all that is wrong is reported at once', async t => {
  const errors = zoneDraftErrors(primary('nonsense', { email: 'nonsense', masters: ['x'] }))
  const paths = errors.flatMap(error => (error === undefined ? [] : [error.path[0]]))
  t.same(paths, ['name', 'email', 'masters'])
})

t.test('what is set once may be sent unchanged', async t => {
  const zone = newSecondary({ attributes: { a: '1', b: '2' } })
  const same = { name: 'EXAMPLE.', type: 'SECONDARY', attributes: { b: '2', a: '1' } } as const
  t.same(zonePatchErrors(zone, same), [undefined, undefined, undefined])
  t.same(zonePatchErrors(zone, {}), [undefined, undefined, undefined])
  const other = { name: 'example.org.', type: 'PRIMARY', attributes: {} } as const
  t.match(zonePatchErrors(zone, other), [
    { path: ['name'] },
    { path: ['type'] },
    { path: ['attributes'] },
  ])
})

t.test('a SECONDARY zone may have no masters', async t => {
  t.strictSame(zoneFieldErrors({ ...newSecondary(), masters: [] }), [undefined, undefined])
})
