import t from 'tap'
import {
  type LoadKoffi,
  openSystemCalls,
  systemError,
} from '../../../src/transport/threads/system-calls.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('without koffi the reason names it', async t => {
  const load: LoadKoffi = () => Promise.reject(new Error('not installed'))
  await t.rejects(openSystemCalls(load), { message: /koffi cannot be loaded: not installed/ })
})

t.test('another C library than the one that is known is refused', async t => {
  const library = {
    func(declaration: string) {
      throw new Error(`no ${declaration}`)
    },
  }
  const load = (async () => ({ load: () => library })) as unknown as LoadKoffi
  await t.rejects(openSystemCalls(load), { message: /GNU C library/ })
})

t.test('a failed call becomes the error that Node would throw', { skip: unbatched }, async t => {
  const calls = await openSystemCalls()
  t.equal(calls.bind(-1, new Uint8Array(16), 16), -1)
  t.match(systemError(calls, 'bind'), { code: 'EBADF', syscall: 'bind', errno: -9 })
})
