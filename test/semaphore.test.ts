import t from 'tap'
import { Semaphore } from '../src/semaphore.ts'

/** Runs tasks by name (`key/n`) that end on demand, and lists which have started. */
function harness(limits: { maxRunning: number; maxRunningPerKey: number }) {
  const semaphore = new Semaphore(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const runs: Promise<unknown>[] = []
  return {
    started,
    begin(name: string) {
      const run = semaphore.run(name.split('/')[0] ?? '', () => {
        started.push(name)
        return new Promise<void>(resolve => ends.set(name, resolve))
      })
      runs.push(run)
    },
    async end(name: string) {
      ends.get(name)?.()
      await new Promise(setImmediate)
    },
  }
}

t.test('no more run at once than allowed, and the next starts when one ends', async t => {
  const { started, begin, end } = harness({ maxRunning: 2, maxRunningPerKey: 9 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1']) begin(name)
  t.strictSame(started, ['a/1', 'a/2'])
  await end('a/2')
  t.strictSame(started, ['a/1', 'a/2', 'b/1'])
  await end('a/1')
  t.strictSame(started, ['a/1', 'a/2', 'b/1', 'a/3'])
})

t.test('a key at its limit holds up no other', async t => {
  const { started, begin, end } = harness({ maxRunning: 3, maxRunningPerKey: 1 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'd/1']) begin(name)
  t.strictSame(started, ['a/1', 'b/1', 'c/1'])
  await end('b/1')
  t.strictSame(started.slice(3), ['d/1'])
  await end('a/1')
  t.strictSame(started.slice(3), ['d/1', 'a/2'])
})

t.test('keys take turns, however much one waits with', async t => {
  const { started, begin, end } = harness({ maxRunning: 1, maxRunningPerKey: 9 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']) begin(name)
  for (const name of ['a/1', 'b/1', 'a/2', 'b/2']) await end(name)
  t.strictSame(started, ['a/1', 'b/1', 'a/2', 'b/2', 'a/3'])
})

t.test('a task that fails releases', async t => {
  const semaphore = new Semaphore({ maxRunning: 1, maxRunningPerKey: 1 })
  await t.rejects(semaphore.run('a', () => Promise.reject(new Error('broken'))))
  t.equal(await semaphore.run('a', async () => 'fine'), 'fine')
})

t.test('so many wait, in total and of one key; without a key only the total counts', async t => {
  const semaphore = new Semaphore({ maxRunning: 1, maxWaiting: 3, maxWaitingPerKey: 1 })
  const running = Promise.withResolvers<void>()
  const runs = [semaphore.run('a', () => running.promise)]
  const begin = (key: string | undefined) => {
    const isAccepted = semaphore.accepts(key)
    if (isAccepted) runs.push(semaphore.run(key, async () => undefined))
    return isAccepted
  }
  t.same(['a', 'a', undefined, undefined, 'b'].map(begin), [true, false, true, true, false])
  running.resolve()
  await Promise.all(runs)
  t.ok(semaphore.accepts('b'))
})
