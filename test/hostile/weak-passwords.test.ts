import t from 'tap'
import type { ApiClient } from '../helpers/api-client.ts'
import { startWholeServer } from '../helpers/whole-server.ts'

// Nobody gets a password that is guessed at once, wherever it is set.

t.test('a password of a few characters is taken nowhere', async t => {
  const { admin, anonymous } = await startWholeServer(t, { dataDirectory: t.testdir() })
  const requirements = /does not match the requirements: it must have at least 8 characters/
  const refused = async (answer: Promise<{ status: number; text: string }>) => {
    const { status, text } = await answer
    t.equal(status, 400)
    t.match(text, requirements)
  }
  await refused(admin.post('/identity/v3/users', { user: { name: 'jo', password: 'x' } }))
  const user = { name: 'jo', password: 'long enough' }
  const { id } = (await admin.post('/identity/v3/users', { user })).body.user
  await refused(admin.patch(`/identity/v3/users/${id}`, { user: { password: '1234567' } }))
  const change = { user: { original_password: 'long enough', password: 'short' } }
  await refused(anonymous.post(`/identity/v3/users/${id}/password`, change))
  const good = { user: { original_password: 'long enough', password: 'longer still' } }
  t.equal((await anonymous.post(`/identity/v3/users/${id}/password`, good)).status, 204)
})

t.test('what Keystone’s example asks for is asked for', async t => {
  const { admin } = await startWholeServer(t, {
    dataDirectory: t.testdir(),
    environment: {
      ZONEWRIGHT_PASSWORD_REGEX: '^(?=.*\\d)(?=.*[a-zA-Z]).{7,}$',
      ZONEWRIGHT_PASSWORD_REGEX_DESCRIPTION: 'a letter, a digit and seven characters',
    },
  })
  const create = (client: ApiClient, password: string) =>
    client.post('/identity/v3/users', { user: { name: password.slice(0, 3), password } })
  const { status, text } = await create(admin, 'only-letters')
  t.equal(status, 400)
  t.match(text, /requirements: a letter, a digit and seven characters\./)
  t.equal((await create(admin, 'letters-and-1')).status, 201)
})
