import t from 'tap'
import { ProjectSemaphore } from '../../../src/service/rules/project-semaphore.ts'
import { until } from '../../helpers/until.ts'

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

t.test('work that lasts is refused beyond the limit of its project, until some ends', async t => {
  const limits = { maxRunning: 9, maxRunningPerKey: 2, maxWaitingPerKey: 0 }
  const semaphore = new ProjectSemaphore(limits, 'Too much work')
  const end = semaphore.begin('alpha')
  semaphore.begin('alpha')
  t.throws(() => semaphore.begin('alpha'), { message: 'Too much work' })
  semaphore.begin('beta')
  end()
  await until(() => {
    try {
      return semaphore.begin('alpha')
    } catch {
      return false
    }
  })
})
