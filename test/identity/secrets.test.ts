import t from 'tap'
import { isEqualSecret } from '../../src/identity/secrets.ts'

t.test('secrets are equal octet by octet, whatever their lengths', async t => {
  t.equal(isEqualSecret('token', 'token'), true)
  for (const other of ['', 'Token', 'token ', 'toke', 'tokén'])
    t.equal(isEqualSecret(other, 'token'), false, other)
})
