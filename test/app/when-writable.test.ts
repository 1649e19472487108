import t from 'tap'
import { WhenWritable } from '../../src/app/when-writable.ts'
import { StoreReadOnlyError } from '../../src/store/store.ts'

t.test('what the store refuses is tried again, until it takes it', async t => {
  const postponed = new WhenWritable()
  let attempts = 0
  const work = async () => {
    attempts += 1
    if (attempts < 3) throw new StoreReadOnlyError('the disk is full')
  }
  await postponed.attempt(work)
  await postponed.resume()
  await postponed.resume()
  await postponed.resume()
  t.equal(attempts, 3)
})

t.test('any other failure is the caller’s', async t => {
  const postponed = new WhenWritable()
  await t.rejects(
    postponed.attempt(() => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  )
})
