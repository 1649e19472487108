import t from 'tap'
import { filtersOf, flagOf } from '../../../src/api/identity/filters.ts'

t.test('filters are taken by name, and no others', async t => {
  const names = ['name', 'enabled'] as const
  t.strictSame(filtersOf(new URLSearchParams('name=a&enabled'), names), { name: 'a', enabled: '' })
  t.strictSame(filtersOf(new URLSearchParams(), names), {})
  const unknown = new URLSearchParams('name=a&limit=1&marker=x')
  t.throws(() => filtersOf(unknown, names), { type: 'bad_request', message: /limit, marker/ })
})

t.test('a flag is yes unless it says no', async t => {
  for (const text of ['', '1', 'true', 'True', 'yes', 'anything']) t.equal(flagOf(text), true, text)
  for (const text of ['0', 'false', 'False', 'no', 'off']) t.equal(flagOf(text), false, text)
  t.equal(flagOf(undefined), undefined)
})
