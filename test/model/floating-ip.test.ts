import t from 'tap'
import { addressError, ptrNameError, reverseNamesOf } from '../../src/model/floating-ip.ts'

t.test('an address is a dotted quad in its one spelling', async t => {
  for (const address of ['0.0.0.0', '192.0.2.1', '255.255.255.255']) {
    t.equal(addressError(address), undefined, address)
  }
  for (const address of [
    '',
    '192.0.2',
    '192.0.2.1.',
    '192.0.2.256',
    '192.0.2.01',
    '::1',
    '1.2.3.4\n',
  ]) {
    t.match(addressError(address), { path: ['address'], validator: 'format' }, address)
  }
})

t.test('a name is an absolute host name', async t => {
  t.equal(ptrNameError('mail.example.com.'), undefined)
  t.match(ptrNameError('mail'), { path: ['ptrdname'], validator: 'format' })
})

t.test(
  'the reverse name is the octets backwards, its zone a /24 (RFC 1035 section 3.5)',
  async t => {
    t.same(reverseNamesOf('192.0.2.7'), {
      owner: '7.2.0.192.in-addr.arpa.',
      zone: '2.0.192.in-addr.arpa.',
    })
  },
)
