import t from 'tap'
import { enclosingNames, requireSeveralLabels, zoneNameError } from '../../src/model/zone-name.ts'
import { refusal } from '../helpers/refusal.ts'

const label63 = 'a'.repeat(63)

t.test('a zone name is absolute, of plain labels', async t => {
  const good = [
    'example.com.',
    'EXAMPLE.com.',
    '_tcp.example.com.',
    'xn--bcher-kva.example.',
    '2.0.192.in-addr.arpa.',
    `${label63}.example.`,
    `${label63}.${label63}.${label63}.${'a'.repeat(61)}.`,
  ]
  for (const name of good) t.equal(zoneNameError(name), undefined, name)
})

t.test('anything else is a field error that names the value and the cause', async t => {
  const bad: [string, RegExp][] = [
    ['', /must end with a dot/],
    ['.', /a label is empty/],
    ['example.com', /must end with a dot/],
    ['example.com.\n', /must end with a dot/],
    ['example..com.', /a label is empty/],
    ['-a.example.', /'-a' has a hyphen/],
    ['a-.example.', /'a-' has a hyphen/],
    ['a b.example.', /'a b' holds ' '/],
    ['*.example.', /holds '\*'/],
    ['a\\.b.example.', /holds '\\'/],
    ['bücher.example.', /holds 'ü'/],
    [`${label63}a.example.`, /64 characters/],
    [`${label63}.${label63}.${label63}.${'a'.repeat(62)}.`, /255 characters/],
  ]
  for (const [name, message] of bad) {
    const error = zoneNameError(name)
    t.same(error?.path, ['name'], name)
    t.match(error?.message, message)
    t.match(error?.message, "is not a 'domainname'")
  }
})

t.test('a zone name has at least two labels', async t => {
  t.throws(() => requireSeveralLabels('com.'), refusal('invalid_zone_name'))
  t.doesNotThrow(() => requireSeveralLabels('example.com.'))
})

t.test('the names above a name come nearest first, without the root', async t => {
  t.same(enclosingNames('a.b.example.'), ['b.example.', 'example.'])
  t.same(enclosingNames('example.'), [])
  t.same(enclosingNames('.'), [])
})
