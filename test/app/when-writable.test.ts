import t from 'tap'
import { insist, WhenWritable } from '../../src/app/when-writable.ts'
import { StoreBusyError, StoreReadOnlyError, StoreUnavailableError } from '../../src/store/store.ts'

t.test('what the store refuses is tried again, until it takes it', async t => {
  const postponed = new WhenWritable()
  let attempts = 0
  const work = async () => {
    attempts += 1
    if (attempts === 1) throw new StoreReadOnlyError('the disk is full')
    if (attempts === 2) throw new StoreBusyError('too many changes are waiting')
  }
  await postponed.attempt(work)
  await postponed.resume()
  await postponed.resume()
  await postponed.resume()
  t.equal(attempts, 3)
})

t.test('what a start cannot go on without is tried until the log is reached', async t => {
  let attempts = 0
  const made = await insist(async () => {
    attempts += 1
    if (attempts < 3) throw new StoreUnavailableError('The change is not made')
    return 'key'
  })
  t.equal(made, 'key')
  t.equal(attempts, 3)
  const refused = insist(() => Promise.reject(new StoreReadOnlyError('the disk is full')))
  await t.rejects(refused, { name: 'StoreReadOnlyError' })
})

t.test('any other failure is the caller’s', async t => {
  const postponed = new WhenWritable()
  await t.rejects(
    postponed.attempt(() => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
})

t.test('one that fails then keeps none of the others from being done', async t => {
  const postponed = new WhenWritable()
  const done: string[] = []
  let isFull = true
  const attempt = (name: string, failure?: Error) =>
    postponed.attempt(async () => {
      if (isFull) throw new StoreReadOnlyError('the disk is full')
      if (failure !== undefined) throw failure
      done.push(name)
    })
  await attempt('first')
  await attempt('second', new Error('broken'))
  await attempt('third')
  isFull = false
  await t.rejects(postponed.resume(), { message: 'broken' })
  await postponed.resume()
  t.same(done, ['first', 'third'])
})
