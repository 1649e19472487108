import t from 'tap'
import { collectGarbage, returnFreedMemory } from '../../../src/transport/threads/freed-memory.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'
import { until } from '../../helpers/until.ts'

t.test('what nothing refers to is collected', async t => {
  let held: WeakRef<object> | undefined
  // V8 may collect it of its own accord meanwhile, but not every time.
  await until(async () => {
    held = new WeakRef(garbage())
    await new Promise(setImmediate)
    collectGarbage()
    return held.deref() !== undefined
  })
  t.pass('a small heap is left as it is')
  await new Promise(setImmediate)
  collectGarbage({ fromHeapOctets: 0 })
  t.equal(held?.deref(), undefined)
  t.equal(typeof globalThis.gc, 'undefined', 'and nobody else can')
})

t.test('what the C library has free goes back', { skip: unbatched }, async t => {
  t.type(await returnFreedMemory(), 'boolean')
})

function garbage(): object {
  return { octets: new Uint8Array(1000) }
}
