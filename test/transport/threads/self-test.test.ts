import t from 'tap'
import { type Layout, linuxLayout } from '../../../src/transport/threads/layout.ts'
import { checkBatches } from '../../../src/transport/threads/self-test.ts'
import { openSystemCalls } from '../../../src/transport/threads/system-calls.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('the self-test', { skip: unbatched }, async t => {
  const calls = await openSystemCalls()

  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    t.test(`accepts the layout for sockets bound to ${host}`, async t => {
      t.doesNotThrow(() => checkBatches(calls, [host]))
    })
  }

  const fields = Object.keys(linuxLayout) as (keyof Layout)[]
  for (const field of fields.filter(name => !name.startsWith('control'))) {
    t.test(`sees that ${field} is wrong`, async t => {
      const layout = { ...linuxLayout, [field]: linuxLayout[field] - 4 }
      t.throws(() => checkBatches(calls, ['127.0.0.1'], layout))
    })
  }

  for (const field of ['controlAt', 'controlOctetsAt'] as const) {
    t.test(`sees that ${field} is wrong where answers need it`, async t => {
      const layout = { ...linuxLayout, [field]: linuxLayout[field] + 8 }
      t.throws(() => checkBatches(calls, ['0.0.0.0'], layout))
    })
  }
})
