import t, { type Test } from 'tap'
import { ChangingDuty } from '../../src/cluster/duty.ts'
import { type Job, type JobEvent, Scheduler } from '../../src/jobs/scheduler.ts'

function schedule(t: Test, run: Job['run']): { scheduler: Scheduler; events: JobEvent[] } {
  const events: JobEvent[] = []
  const jobs = [{ name: 'work', everySeconds: 1, run }]
  const scheduler = new Scheduler({ jobs, onEvent: event => events.push(event) })
  t.teardown(() => scheduler.stop({ timeoutMs: 0 }))
  return { scheduler, events }
}

t.test('after the start a job runs by the clock', async t => {
  await new Promise<void>(resolve => schedule(t, resolve).scheduler.start())
  t.pass('it ran')
})

t.test('no two jobs have one name', async t => {
  const job = { name: 'work', everySeconds: 1, run: () => undefined }
  const jobs = [job, { ...job, everySeconds: 2 }]
  t.throws(() => new Scheduler({ jobs, onEvent: () => undefined }), { name: 'RangeError' })
})

t.test('jobs that are due together begin in turns of the event loop of their own', async t => {
  const turns: number[] = []
  const run = () => void turns.push(performance.nodeTiming.uvMetricsInfo.loopCount)
  const jobs = ['a', 'b', 'c'].map(name => ({ name, everySeconds: 1, run }))
  const scheduler = new Scheduler({ jobs, onEvent: event => t.fail(event.job) })
  await Promise.all(jobs.map(({ name }) => scheduler.run(name)))
  t.equal(new Set(turns).size, 3)
})

t.test('a job that is asked for while it runs is run once more, for all who asked', async t => {
  let runCount = 0
  const end = Promise.withResolvers<void>()
  const { scheduler } = schedule(t, () => {
    runCount += 1
    return end.promise
  })
  const first = scheduler.run('work')
  const others = [scheduler.run('work'), scheduler.run('work')]
  end.resolve()
  await first
  t.equal(runCount, 1)
  await Promise.all(others)
  t.equal(runCount, 2)
  await scheduler.run('work')
  t.equal(runCount, 3)
})

t.test('a failure is reported once, and again when it is another or over', async t => {
  const outcomes = ['a', 'a', 'b', '', '', 'a']
  const { scheduler, events } = schedule(t, () => {
    const message = outcomes.shift()
    if (message !== '') throw new Error(message)
  })
  while (outcomes.length > 0) await scheduler.run('work')
  const told = events.map(event => (event.kind === 'failed' ? String(event.error) : event.kind))
  t.strictSame(told, ['Error: a', 'Error: b', 'recovered', 'Error: a'])
})

t.test('stopping waits for the run under way and starts no other', async t => {
  let runCount = 0
  const end = Promise.withResolvers<void>()
  const { scheduler } = schedule(t, () => {
    runCount += 1
    return end.promise
  })
  const run = scheduler.run('work')
  const stopped = scheduler.stop({ timeoutMs: 60_000 })
  await scheduler.run('work')
  end.resolve()
  t.strictSame(await stopped, [])
  await run
  t.equal(runCount, 1)
})

t.test('stopping does not wait for ever and names who did not end', async t => {
  const { scheduler } = schedule(t, () => new Promise(() => undefined))
  void scheduler.run('work')
  t.strictSame(await scheduler.stop({ timeoutMs: 5 }), ['work'])
})

t.test('a job that does not exist is a mistake', async t => {
  const { scheduler } = schedule(t, () => undefined)
  t.throws(() => scheduler.run('sleep'), RangeError)
})

t.test('a job of the duty runs where that is, and the others everywhere', async t => {
  const duty = new ChangingDuty()
  const runs: string[] = []
  const jobs: readonly Job[] = [
    { name: 'own', everySeconds: 1, run: () => void runs.push('own') },
    { name: 'sweep', everySeconds: 1, isDuty: true, run: () => void runs.push('sweep') },
  ]
  const scheduler = new Scheduler({ jobs, duty, onEvent: event => t.fail(event.job) })
  const runAll = async () => {
    for (const { name } of jobs) await scheduler.run(name)
    return runs.splice(0)
  }
  t.strictSame(await runAll(), ['own'])
  duty.take(1)
  t.strictSame(await runAll(), ['own', 'sweep'])
  duty.lose()
  t.strictSame(await runAll(), ['own'])
})
