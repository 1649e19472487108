import t from 'tap'
import { refuseLogin } from '../../src/identity/authenticator.ts'

t.test('a refused login tells nothing', async t => {
  t.throws(() => refuseLogin(), { name: 'ApiError', type: 'unauthorized', status: 401 })
})
