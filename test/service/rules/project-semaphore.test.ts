import t from 'tap'
import { ProjectSemaphore } from '../../../src/service/rules/project-semaphore.ts'

t.test('work of a project that has too much of it waiting is refused for a second', async t => {
  const semaphore = new ProjectSemaphore({ maxRunning: 1, maxWaitingPerKey: 1 }, 'Too much work')
  const { promise, resolve } = Promise.withResolvers<string>()
  const running = semaphore.run('alpha', () => promise)
  const waiting = semaphore.run('alpha', async () => 'second')
  await t.rejects(
    semaphore.run('alpha', async () => 'third'),
    { type: 'too_many_requests', message: 'Too much work', retryAfterSeconds: 1 },
  )
  const other = semaphore.run('beta', async () => 'other')
  resolve('first')
  t.same(await Promise.all([running, waiting, other]), ['first', 'second', 'other'])
})
