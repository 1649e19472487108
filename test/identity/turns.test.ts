import t from 'tap'
import { Turns } from '../../src/identity/turns.ts'

t.test('tasks run a few at a time, in order, and so many wait', async t => {
  const turns = new Turns({ maxRunning: 2, maxWaiting: 2, maxWaitingPerKey: 2 })
  const started: number[] = []
  const gates = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const runs = gates.map(({ promise }, i) =>
    turns.run(undefined, async () => {
      started.push(i)
      await promise
      return i
    }),
  )
  t.strictSame(started, [0, 1])
  await t.rejects(
    turns.run(undefined, async () => 4),
    { name: 'ApiError', type: 'too_many_requests', retryAfterSeconds: 1 },
  )
  gates[1]?.resolve()
  t.equal(await runs[1], 1)
  t.strictSame(started, [0, 1, 2])
  for (const { resolve } of gates) resolve()
  t.strictSame(await Promise.all(runs), [0, 1, 2, 3])
})

t.test('a task that fails gives its turn back', async t => {
  const turns = new Turns({ maxRunning: 1, maxWaiting: 1, maxWaitingPerKey: 1 })
  for (let i = 0; i < 3; i++)
    await t.rejects(turns.run(undefined, () => Promise.reject(new Error('x'))))
  t.equal(await turns.run(undefined, async () => 'done'), 'done')
})

t.test('of one key fewer may wait than of all', async t => {
  const turns = new Turns({ maxRunning: 1, maxWaiting: 3, maxWaitingPerKey: 1 })
  const one = turns.run('a', async () => 1)
  const two = turns.run('a', async () => 2)
  await t.rejects(
    turns.run('a', async () => 3),
    { message: /at once/ },
  )
  const four = turns.run('b', async () => 4)
  t.same(await Promise.all([one, two, four]), [1, 2, 4])
})
