import t from 'tap'
import { PasswordHasher } from '../../src/identity/password-hasher.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'

t.test('a password fits its hash, and none where there is no hash', async t => {
  const hasher = new PasswordHasher(cheapCost)
  const stored = await hasher.hash('right')
  t.equal(await hasher.verify('right', { stored: stored, network: '192.0.2.1' }), true)
  t.equal(await hasher.verify('wrong', { stored: stored, network: '192.0.2.1' }), false)
  t.equal(await hasher.verify('right', { stored: undefined, network: '192.0.2.1' }), false)
})

t.test('what waits for hashing is bounded', async t => {
  const hasher = new PasswordHasher(cheapCost)
  const hashes = Array.from({ length: 50 }, () => hasher.hash('x'))
  const results = await Promise.allSettled(hashes)
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 34)
})

t.test('a user who has many secrets hashed leaves room for the logins of others', async t => {
  const hasher = new PasswordHasher(cheapCost)
  const hashes = Array.from({ length: 50 }, () => hasher.hash('x', 'one'))
  const login = hasher.verify('x', { stored: undefined, network: '192.0.2.1' })
  const results = await Promise.allSettled(hashes)
  t.equal(await login, false)
  t.equal(results.filter(({ status }) => status === 'fulfilled').length, 10)
})
