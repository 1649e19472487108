import t from 'tap'
import { emailError, rnameOf } from '../../src/model/email.ts'

t.test('an address has one @ and is a name when that is a dot', async t => {
  for (const email of [
    'ops@example.com',
    'first.last@example.com',
    'a_b@x.example',
    'a@0/25.2.0.192.in-addr.arpa',
  ]) {
    t.equal(emailError(email), undefined, email)
  }
  const bad = [
    '',
    'ops',
    'ops@',
    '@example.com',
    'ops@@example.com',
    'a@b@example.com',
    'ops@example.com.',
    'ops@example.com\n',
    'o ps@example.com',
    `${'a.'.repeat(40)}b@example.com`,
    `${'a'.repeat(64)}@example.com`,
    `ops@${'a.'.repeat(130)}com`,
  ]
  for (const email of bad) {
    t.match(emailError(email), { path: ['email'], validator_value: 'email' }, email)
  }
})

t.test(
  'the SOA carries it with the dots of its local part escaped (RFC 1035 section 8)',
  async t => {
    t.equal(rnameOf('ops@example.com'), 'ops.example.com.')
    t.equal(rnameOf('first.last@example.com'), 'first\\.last.example.com.')
  },
)
