import t from 'tap'
import { TsigKeyRing } from '../../src/app/tsig-key-ring.ts'
import { parseName } from '../../src/dns/name.ts'
import { tsigAlgorithmNames } from '../../src/dns/tsig-mac.ts'
import { defaultPoolId } from '../../src/model/pool.ts'
import { KeyRing } from '../../src/nameserver/key-ring.ts'
import { openDns } from '../helpers/dns.ts'

t.test('threads find the keys that are stored, one commit after the other', async t => {
  const { store, tsigKeys } = await openDns()
  const ring = new TsigKeyRing()
  const keys = new KeyRing(ring.memory)
  const find = () =>
    keys.find(parseName('transfer.example.'), tsigAlgorithmNames['hmac-sha256'])?.secret
  ring.load(store)
  t.equal(find(), undefined)
  store.setCommitListener(commit => {
    ring.commitPublished(commit, store)
    return undefined
  })
  const draft = {
    name: 'Transfer.example',
    algorithm: 'hmac-sha256',
    secret: 'AQI=',
    scope: 'POOL',
    resourceId: defaultPoolId,
  } as const
  const { id } = await tsigKeys.create(draft)
  t.strictSame(find(), Uint8Array.of(1, 2))
  await tsigKeys.update(id, { secret: 'Aw==' })
  t.strictSame(find(), Uint8Array.of(3))
  await tsigKeys.delete(id)
  t.equal(find(), undefined)
})
