import { once } from 'node:events'
import { connect } from 'node:net'
import t from 'tap'
import {
  lookupWithin,
  type Reach,
  RefusedAddressError,
  reachableAddresses,
} from '../../../src/transport/outbound/reach.ts'

const reach: Reach = {
  problemOf: address => (address.startsWith('127.') ? 'a loopback address' : undefined),
  resolve: async host => (host === 'none.example' ? [] : ['127.0.0.1', '192.0.2.1']),
}
const closed: Reach = { ...reach, problemOf: () => 'not for you' }

t.test('what may not be connected to is left out, and refused where nothing is left', async t => {
  t.strictSame(await reachableAddresses('mixed.example', reach), ['192.0.2.1'])
  t.strictSame(await reachableAddresses('192.0.2.9', reach), ['192.0.2.9'])
  t.strictSame(await reachableAddresses('none.example', reach), [])
  for (const host of ['127.0.0.1', '127.9.9.9']) {
    await t.rejects(reachableAddresses(host, reach), RefusedAddressError)
  }
  await t.rejects(reachableAddresses('mixed.example', closed), /127.0.0.1 is not for you/)
})

t.test('a socket connects to nothing else', async t => {
  for (const autoSelectFamily of [true, false]) {
    const lookup = lookupWithin(closed)
    const socket = connect({ host: 'mixed.example', port: 9, lookup, autoSelectFamily })
    const [error] = await once(socket, 'close').then(
      () => [],
      (cause: unknown) => [cause],
    )
    t.ok(error instanceof RefusedAddressError, String(error))
    const none = connect({ host: 'none.example', port: 9, lookup: lookupWithin(reach) })
    await t.rejects(once(none, 'close'), { code: 'ENOTFOUND' })
  }
})
