import type { IncomingMessage } from 'node:http'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { authenticatePrincipal } from '../../../src/api/middleware/authenticate.ts'
import type { Principal } from '../../../src/identity/principal.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void
setFlagsFromString('--no-expose-gc')

const named = { id: 'one', name: 'one' }
const principal: Principal = {
  user: named,
  userDomain: named,
  scope: undefined,
  credential: undefined,
}
const authenticator = { authenticate: async () => principal }
const requestCount = 4000
const requestOctets = 1600

async function authenticateAll(): Promise<void> {
  for (let i = 0; i < requestCount; i += 1) {
    const headers = { 'x-auth-token': 'x', others: new Array(requestOctets / 8).fill(i) }
    const request = { headers, socket: { remoteAddress: '192.0.2.1' } }
    await authenticatePrincipal(authenticator, request as unknown as IncomingMessage)
    if (i % 100 === 0) collect({ type: 'minor' })
  }
}

function oldOctets(): number {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')
  return old?.space_used_size ?? 0
}

t.test('an authenticated request needs no full collection of garbage', async t => {
  await authenticateAll()
  collect({ type: 'major' })
  const before = oldOctets()
  await authenticateAll()
  const octetsEach = (oldOctets() - before) / requestCount
  t.ok(octetsEach < requestOctets / 4, `${octetsEach.toFixed(0)} octets each`)
})
