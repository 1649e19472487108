import t from 'tap'
import { ImportQueue } from '../../../src/service/zone-files/import-queue.ts'
import { refusal } from '../../helpers/refusal.ts'

const limits = { maxOctets: 100, maxProjectOctets: 60, maxProjectFiles: 3 }
const tooMany = refusal('too_many_requests')

t.test('a project holds so many octets and files, the server so many octets', async t => {
  const queue = new ImportQueue(limits)
  const giveBack = queue.hold('one', 60)
  t.throws(() => queue.hold('one', 1), tooMany, 'the project is full')
  queue.hold('two', 40)
  t.throws(() => queue.hold('three', 1), tooMany, 'the server is full')
  giveBack()
  for (const octets of [1, 1, 1]) queue.hold('one', octets)
  t.throws(() => queue.hold('one', 1), tooMany, 'the project has three files')
  t.doesNotThrow(() => queue.hold('three', 1))
})

t.test('what is given back can be held again', async t => {
  const queue = new ImportQueue(limits)
  for (let i = 0; i < 10; i += 1) queue.hold('one', 60)()
  t.doesNotThrow(() => queue.hold('one', 60))
})

/** Runs files that end when told, and says which have begun. */
function harness() {
  const queue = new ImportQueue()
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    begin(name: string, octets: number) {
      void queue.run(name.slice(0, 1), octets, () => {
        begun.push(name)
        return new Promise<void>(resolve => ends.set(name, resolve))
      })
    },
    async end(name: string) {
      ends.get(name)?.()
      await new Promise(setImmediate)
    },
  }
}

const long = 2 ** 20

t.test('a short file does not wait for a long one', async t => {
  const { begun, begin } = harness()
  for (const name of ['a1', 'a2']) begin(name, long)
  begin('b1', 100)
  t.strictSame(begun, ['a1', 'b1'])
})

t.test('projects take turns, however many files one of them has', async t => {
  const { begun, begin, end } = harness()
  for (const name of ['a1', 'a2', 'a3']) begin(name, long)
  begin('b1', long)
  for (const name of ['a1', 'b1', 'a2']) await end(name)
  t.strictSame(begun, ['a1', 'b1', 'a2', 'a3'])
})
