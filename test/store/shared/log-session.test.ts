import t from 'tap'
import type { Connection } from '../../../src/store/shared/connection.ts'
import type { Engine } from '../../../src/store/shared/engine.ts'
import { LogSession } from '../../../src/store/shared/log-session.ts'

const nothing = () => undefined

/** A session over an engine whose connections `connect` makes. */
function sessionOver(
  connect: () => Pick<Connection, 'isOver' | 'ended'>,
  onLost: () => void = nothing,
) {
  const close = async () => undefined
  const engine = {
    connect: async () => Object.assign(connect(), { close, destroy: nothing }),
  } as unknown as Engine
  const accept = async () => undefined
  return new LogSession({ engine, accept, onProblem: nothing, onLost, onFound: nothing })
}

t.test('a server that fails on each connection is not flooded with them', async t => {
  let count = 0
  const session = sessionOver(() => {
    count += 1
    return { isOver: false, ended: new Promise(nothing) }
  })
  const deadline = performance.now() + 400
  const attempts = async () => {
    for (;;) session.lose(await session.connected(deadline), new Error('it fails'))
  }
  await t.rejects(attempts(), { message: /is not made: it fails/ })
  // After 0, 50, 150 and 350 ms.
  t.ok(count > 1 && count <= 5, `${count} connections`)
  await session.stop()
})

t.test('a connection that ends is missed before a change needs it', async t => {
  const { promise: ended, resolve: end } = Promise.withResolvers<Error>()
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  const first = { ended, isOver: false }
  let count = 0
  const session = sessionOver(() => {
    count += 1
    if (count > 1) throw new Error('it is gone')
    return first
  }, lose)
  await session.start()
  t.equal(session.isLost, false)
  first.isOver = true
  end(new Error('it is gone'))
  await lost
  t.equal(session.isLost, true)
  await session.stop()
})
