import t from 'tap'
import type { Connection } from '../../../src/store/shared/connection.ts'
import type { Engine } from '../../../src/store/shared/engine.ts'
import { LogSession } from '../../../src/store/shared/log-session.ts'

t.test('a server that fails on each connection is not flooded with them', async t => {
  let count = 0
  const connection = { isOver: false, destroy: () => undefined, close: async () => undefined }
  const engine = {
    connect: async () => {
      count += 1
      return { ...connection } as unknown as Connection
    },
  } as unknown as Engine
  const nothing = () => undefined
  const session = new LogSession({
    ...{ engine, accept: async () => undefined },
    ...{ onProblem: nothing, onLost: nothing, onFound: nothing },
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
