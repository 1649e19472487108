import t from 'tap'
import { Slots } from '../../src/service/slots.ts'

/** Runs tasks by name (`key/n`) that end when told, and says which have started. */
function harness(limits: { maxTotal: number; maxPerKey: number }) {
  const slots = new Slots(limits)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const runs: Promise<unknown>[] = []
  return {
    started,
    begin(name: string) {
      const run = slots.run(name.split('/')[0] ?? '', () => {
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
  const { started, begin, end } = harness({ maxTotal: 2, maxPerKey: 9 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1']) begin(name)
  t.strictSame(started, ['a/1', 'a/2'])
  await end('a/2')
  t.strictSame(started, ['a/1', 'a/2', 'b/1'])
  await end('a/1')
  t.strictSame(started, ['a/1', 'a/2', 'b/1', 'a/3'])
})

t.test('a key at its limit holds up no other', async t => {
  const { started, begin, end } = harness({ maxTotal: 3, maxPerKey: 1 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1', 'c/1', 'd/1']) begin(name)
  t.strictSame(started, ['a/1', 'b/1', 'c/1'])
  await end('b/1')
  t.strictSame(started.slice(3), ['d/1'])
  await end('a/1')
  t.strictSame(started.slice(3), ['d/1', 'a/2'])
})

t.test('keys take turns, however much one waits with', async t => {
  const { started, begin, end } = harness({ maxTotal: 1, maxPerKey: 9 })
  for (const name of ['a/1', 'a/2', 'a/3', 'b/1', 'b/2']) begin(name)
  for (const name of ['a/1', 'b/1', 'a/2', 'b/2']) await end(name)
  t.strictSame(started, ['a/1', 'b/1', 'a/2', 'b/2', 'a/3'])
})

t.test('a task that fails gives its slot back', async t => {
  const slots = new Slots({ maxTotal: 1, maxPerKey: 1 })
  await t.rejects(slots.run('a', () => Promise.reject(new Error('broken'))))
  t.equal(await slots.run('a', async () => 'fine'), 'fine')
})
