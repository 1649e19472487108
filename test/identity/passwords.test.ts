import t from 'tap'
import { generatePassword, hashPassword, verifyPassword } from '../../src/identity/passwords.ts'

const cost = { N: 16, r: 8, p: 1 }

t.test('a password fits its own hash only', async t => {
  const stored = await hashPassword('correct horse', cost)
  t.equal(await verifyPassword('correct horse', stored), true)
  for (const other of ['', 'correct horse ', 'Correct horse', 'wrong'])
    t.equal(await verifyPassword(other, stored), false, other)
})

t.test('a hash carries its cost and a salt of its own', async t => {
  const [one, other] = [await hashPassword('same', cost), await hashPassword('same', cost)]
  t.match(one, /^scrypt\$16\$8\$1\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/)
  t.not(one, other)
  const dearer = await hashPassword('same', { N: 32, r: 4, p: 2 })
  t.equal(await verifyPassword('same', dearer), true)
})

t.test('a damaged hash is a fault and not a wrong password', async t => {
  for (const stored of ['', 'plain', 'md5$1$1$1$AA==$AA==', 'scrypt$16$8$1$AA=='])
    await t.rejects(verifyPassword('x', stored), /damaged/, stored)
})

t.test('a generated password is long and new each time', async t => {
  t.match(generatePassword(), /^[A-Za-z0-9_-]{22}$/)
  t.not(generatePassword(), generatePassword())
})
