import t from 'tap'
import { Closing } from '../src/app-closing.ts'

t.test('what was opened last is closed first, and once', async t => {
  const closing = new Closing()
  const closed: string[] = []
  for (const name of ['store', 'dns', 'api']) closing.add(async () => void closed.push(name))
  await Promise.all([closing.run(), closing.run()])
  await closing.run()
  t.same(closed, ['api', 'dns', 'store'])
})

t.test('what cannot be closed keeps nothing else open, and is told', async t => {
  const closing = new Closing()
  const closed: string[] = []
  closing.add(async () => void closed.push('store'))
  closing.add(() => Promise.reject(new Error('the first')))
  closing.add(() => Promise.reject(new Error('the one before')))
  await t.rejects(closing.run(), { message: 'the one before' })
  t.same(closed, ['store'])
})
