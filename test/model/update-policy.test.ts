import t from 'tap'
import { mayUpdate, permissionsOf, type UpdateRule } from '../../src/model/update-policy.ts'

const plain: UpdateRule = { keyName: 'Acme', addresses: [], match: 'zone', name: null, types: [] }

function asked(rule: Partial<UpdateRule>, name: string, type = 'A', keyName?: string) {
  const isFrom = (network: string) => network === '192.0.2.0/24'
  return permissionsOf([{ ...plain, ...rule }], { keyName, isFrom })(name, type)
}

t.test('each match is of its names', async t => {
  const www = 'www.example.com.'
  const rows: [Partial<UpdateRule>, string, boolean][] = [
    [{}, www, true],
    [{ match: 'name', name: 'WWW.example.com.' }, www, true],
    [{ match: 'name', name: 'example.com.' }, www, false],
    [{ match: 'subdomain', name: 'example.com.' }, www, true],
    [{ match: 'subdomain', name: www }, www, true],
    [{ match: 'subdomain', name: 'ww.example.com.' }, www, false],
    [{ match: 'subdomain', name: 'w.example.com.' }, www, false],
    [{ match: 'wildcard', name: '*.example.com.' }, www, true],
    [{ match: 'wildcard', name: '*.www.example.com.' }, www, false],
    [{ match: 'self' }, 'acme.', true],
    [{ match: 'self' }, 'x.acme.', false],
    [{ match: 'self_sub' }, 'x.acme.', true],
    [{ match: 'self_sub' }, 'xacme.', false],
  ]
  for (const [rule, name, isAllowed] of rows)
    t.equal(asked(rule, name, 'A', 'acme.'), isAllowed, JSON.stringify({ rule, name }))
})

t.test('without types all but those that hold a zone together', async t => {
  t.ok(asked({}, 'x.', 'TXT', 'acme'))
  t.notOk(asked({}, 'x.', 'NS', 'acme'))
  t.ok(asked({ types: ['ANY'] }, 'x.', 'NS', 'acme'))
  t.ok(asked({ types: ['TXT'] }, 'x.', 'TXT', 'acme'))
  t.notOk(asked({ types: ['TXT'] }, 'x.', 'A', 'acme'))
})

t.test('a rule is for its key, and from its addresses where it has any', async t => {
  t.notOk(asked({}, 'x.'))
  t.notOk(asked({}, 'x.', 'A', 'other'))
  t.ok(asked({ addresses: ['192.0.2.0/24'] }, 'x.', 'A', 'acme'))
  t.notOk(asked({ addresses: ['198.51.100.0/24'] }, 'x.', 'A', 'acme'))
  t.ok(asked({ keyName: null, addresses: ['192.0.2.0/24'] }, 'x.'))
  t.notOk(asked({ keyName: null }, 'x.'), 'neither is nobody')
  t.notOk(mayUpdate([], { keyName: 'acme', isFrom: () => true }))
})

t.test('the networks of rules are compared once for all changes of an update', async t => {
  let comparisons = 0
  const isFrom = () => {
    comparisons += 1
    return false
  }
  const rules = [{ ...plain, addresses: ['192.0.2.0/24', '198.51.100.0/24'] }]
  const isAllowed = permissionsOf(rules, { keyName: 'acme', isFrom })
  const names = Array.from({ length: 1000 }, (_, i) => `host-${i}.example.com.`)
  t.notOk(names.some(name => isAllowed(name, 'A')))
  t.equal(comparisons, 2)
})
