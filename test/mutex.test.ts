import t from 'tap'
import { Mutex } from '../src/mutex.ts'

t.test('tasks run one at a time, in order, and one that fails holds up none', async t => {
  const mutex = new Mutex()
  const started: number[] = []
  const ends = Array.from({ length: 3 }, () => Promise.withResolvers<number>())
  const runs = ends.map(({ promise }, i) =>
    mutex.run(() => {
      started.push(i)
      return promise
    }),
  )
  const drained = mutex.drained()
  await Promise.resolve()
  t.same(started, [0])
  ends[0]?.resolve(7)
  t.equal(await runs[0], 7)
  await Promise.resolve()
  t.same(started, [0, 1])
  ends[1]?.reject(new Error('x'))
  await t.rejects(runs[1] as Promise<number>, { message: 'x' })
  ends[2]?.resolve(9)
  t.equal(await runs[2], 9)
  await drained
})
