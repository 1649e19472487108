import t from 'tap'
import {
  type ZoneDraft,
  type ZonePatch,
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

t.test('what is set once may be sent unchanged, and attributes may be changed', async t => {
  const zone = newSecondary({ attributes: { a: '1', pool_id: 'x' } })
  const problems = (patch: ZonePatch) =>
    zonePatchErrors(zone, patch).flatMap(error => error?.path ?? [])
  t.same(problems({ name: 'EXAMPLE.', type: 'SECONDARY', attributes: { a: '2' } }), [])
  t.same(problems({ attributes: { a: null, b: '3', pool_id: 'x' } }), [])
  const other = { name: 'example.org.', type: 'PRIMARY', attributes: { pool_id: 'y' } } as const
  t.same(problems(other), ['name', 'type', 'attributes'])
  t.same(problems({ attributes: { pool_id: null } }), ['attributes'])
})

t.test('a SECONDARY zone may have no masters', async t => {
  t.strictSame(zoneFieldErrors({ ...newSecondary(), masters: [] }), [undefined, undefined])
})
