import t from 'tap'
import { bootstrapIdentity } from '../../src/identity/bootstrap.ts'
import { SecondFactors } from '../../src/identity/second-factors.ts'
import { ensureMember } from '../helpers/accounts.ts'
import { cheapCost } from '../helpers/cheap-cost.ts'
import { fakeClock } from '../helpers/clock.ts'
import { openMemoryStore } from '../helpers/memory-store.ts'
import { passcodeAt, totpSecret } from '../helpers/passcodes.ts'

const refused = { name: 'ApiError', type: 'unauthorized' }

/** A user with a second factor, on a disk that may be full. */
async function start() {
  const clock = fakeClock()
  const disk = { isFull: false }
  const whileAppending = async () => {
    if (disk.isFull) throw new Error('no room')
  }
  const store = openMemoryStore({ clock, whileAppending })
  await bootstrapIdentity(store, { adminPassword: 'given', cost: cheapCost })
  const account = await ensureMember(store, { project: 'p', role: 'member' })
  const { user } = account
  const factors = new SecondFactors({ store, clock })
  const enrol = (secret: string) =>
    factors.enrol(account, user.id, {
      secret,
      passcode: passcodeAt(clock.nowMillis(), secret),
    })
  const next = () => {
    clock.advanceMillis(30_000)
    return passcodeAt(clock.nowMillis())
  }
  return { clock, disk, enrol, factors, next, user }
}

t.test('a secret has at least sixteen octets', async t => {
  const { enrol } = await start()
  // 24 characters of base32 are 15 octets, 26 are 16.
  await t.rejects(enrol('A'.repeat(24)), { name: 'ApiError', type: 'bad_request' })
  await enrol('A'.repeat(26))
})

t.test('where the store takes no changes, each passcode is good once all the same', async t => {
  const { disk, enrol, factors, next, user } = await start()
  await enrol(totpSecret)
  disk.isFull = true
  const passcode = next()
  await factors.requirePasscode(user, passcode)
  await t.rejects(factors.requirePasscode(user, passcode), refused)
  await t.rejects(factors.requirePasscode(user, '000000'), refused)
  await factors.requirePasscode(user, next())
})

t.test('a recovery code waits for a store that takes changes, and that is no failure', async t => {
  const { disk, enrol, factors, next, user } = await start()
  const [code = ''] = await enrol(totpSecret)
  disk.isFull = true
  for (let i = 0; i < 10; i += 1)
    await t.rejects(factors.requirePasscode(user, code), { name: 'StoreReadOnlyError' })
  await t.rejects(factors.requirePasscode(user, 'no code'), refused)
  await factors.requirePasscode(user, next())
})
