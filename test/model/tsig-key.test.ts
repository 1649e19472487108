import t from 'tap'
import { tsigKeyErrors, tsigNameKey } from '../../src/model/tsig-key.ts'

t.test('the name of a key is a domain name, absolute whether it says so or not', async t => {
  for (const name of ['key', 'key.', 'a_b.example', 'Key-1.example.', 'a\\.b', 'Key of ns1'])
    t.same(tsigKeyErrors({ name }), [], name)
  for (const name of ['', '.', 'a..b', ' ', 'ä', 'a'.repeat(64)])
    t.match(tsigKeyErrors({ name }), [{ path: ['name'], validator_value: 'domainname' }], name)
  t.same(tsigKeyErrors({ secret: 'no name' }), [])
})

t.test('names of keys are compared as domain names', async t => {
  t.equal(tsigNameKey('Key.Example.'), tsigNameKey('key.example'))
  t.not(tsigNameKey('key.example'), tsigNameKey('key.example.org'))
})
