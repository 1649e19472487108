import t from 'tap'
import { collectGarbage, returnFreedMemory } from '../../../src/transport/threads/freed-memory.ts'
import { unbatched } from '../../helpers/threaded-listeners.ts'

t.test('what nothing refers to is collected', async t => {
  const held = new WeakRef(garbage())
  // What a WeakRef was made of lives as long as the turn in which it was made.
  await new Promise(setImmediate)
  collectGarbage()
  t.equal(held.deref(), undefined)
  t.equal(typeof globalThis.gc, 'undefined', 'and nobody else can')
})

t.test('what the C library has free goes back', { skip: unbatched }, async t => {
  t.type(await returnFreedMemory(), 'boolean')
})

function garbage(): object {
  return { octets: new Uint8Array(1000) }
}
