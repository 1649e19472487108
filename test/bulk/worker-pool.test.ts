import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WorkerPool, type WorkerPoolOptions } from '../../src/bulk/worker-pool.ts'

const module = new URL('../helpers/pool-thread.ts', import.meta.url)

function openPool(t: Test, options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  const pool = new WorkerPool({ module, maxThreads: 2, ...options })
  t.teardown(() => pool.close())
  return pool
}

t.test('a task is done in a thread, its memory given away and back', async t => {
  const pool = openPool(t)
  t.equal(pool.threadCount, 0, 'no thread before there is work')
  const words = Uint32Array.of(1, 2, 3)
  t.same(
    await pool.run('one', { task: 'double', input: words }, [words.buffer]),
    Uint32Array.of(2, 4, 6),
  )
  t.equal(words.length, 0)
})

t.test('tasks above the threads wait for their turn', async t => {
  const pool = openPool(t)
  const all = Array.from({ length: 7 }, (_, i) =>
    pool.run('one', { task: 'double', input: Uint32Array.of(i) }),
  )
  t.equal(pool.threadCount, 2)
  t.same(
    await Promise.all(all),
    Array.from({ length: 7 }, (_, i) => Uint32Array.of(2 * i)),
  )
  t.equal(pool.threadCount, 2)
})

t.test('keys take turns, however many tasks of one wait', async t => {
  const pool = openPool(t, { maxThreads: 1 })
  const order: string[] = []
  const run = async (key: string) => {
    await pool.run(key, { task: 'double', input: Uint32Array.of(1) })
    order.push(key)
  }
  await Promise.all(['many', 'many', 'many', 'many', 'few', 'few', 'one'].map(run))
  t.same(order, ['many', 'few', 'one', 'many', 'few', 'many', 'many'])
})

t.test('what a task throws is reported, and the thread goes on', async t => {
  const pool = openPool(t, { maxThreads: 1 })
  await t.rejects(pool.run('one', { task: 'refuse', input: 'no' }), {
    name: 'RangeError',
    message: 'no',
  })
  await t.rejects(pool.run('one', { task: 'unheard of', input: 0 }), {
    message: 'there is no such task',
  })
  t.same(await pool.run('one', { task: 'double', input: Uint32Array.of(4) }), Uint32Array.of(8))
})

t.test('what cannot be given to a thread fails alone', async t => {
  const pool = openPool(t, { maxThreads: 1 })
  const { buffer } = Uint32Array.of(1)
  const [wrong, sound] = await Promise.allSettled([
    pool.run('one', { task: 'double', input: 0 }, [buffer, buffer]),
    pool.run('one', { task: 'double', input: Uint32Array.of(5) }),
  ])
  t.match(wrong, { reason: { name: 'DataCloneError' } })
  t.match(sound, { value: Uint32Array.of(10) })
})

t.test('a thread that dies fails its task and no other', async t => {
  const resourceLimits = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }
  const pool = openPool(t, { maxThreads: 1, resourceLimits })
  const [ended, full, sound] = await Promise.allSettled([
    pool.run('one', { task: 'exit', input: 0 }),
    pool.run('one', { task: 'fill', input: 0 }),
    pool.run('one', { task: 'double', input: Uint32Array.of(5) }),
  ])
  t.match(ended, { reason: { name: 'WorkerDiedError', message: 'its thread has ended' } })
  t.match(full, { reason: { message: 'it takes more memory than a thread may have' } })
  t.match(sound, { value: Uint32Array.of(10) })
})

t.test('threads end when there is no work for them', async t => {
  const pool = openPool(t, { idleMs: 1 })
  await pool.run('one', { task: 'double', input: Uint32Array.of(1) })
  while (pool.threadCount > 0) await delay(1)
  t.same(await pool.run('one', { task: 'double', input: Uint32Array.of(2) }), Uint32Array.of(4))
})

t.test('what is under way or waits at the end fails', async t => {
  const pool = openPool(t, { maxThreads: 1 })
  const all = [0, 1].map(() => pool.run('one', { task: 'fill', input: 0 }))
  const settled = Promise.allSettled(all)
  await pool.close()
  for (const { status } of await settled) t.equal(status, 'rejected')
  await t.rejects(pool.run('one', { task: 'double', input: Uint32Array.of(1) }), {
    message: 'the server stops',
  })
  t.equal(pool.threadCount, 0)
})
