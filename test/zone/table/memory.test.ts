import t from 'tap'
import { offsetInWindow, reserveMemory, TableMemory } from '../../../src/zone/table/memory.ts'

t.test('words and octets are the same memory, also far up', async t => {
  const memory = new TableMemory(reserveMemory(2 ** 33))
  for (const ref of [2, 2 ** 28 - 2, 2 ** 28, memory.words.length - 2]) {
    const octets = memory.windowOf(ref)
    octets.set([1, 2, 3, 4], offsetInWindow(ref))
    t.same([...new Uint8Array(memory.buffer, ref * 4, 4)], [1, 2, 3, 4])
    t.equal(memory.words[ref], new Int32Array(Uint8Array.of(1, 2, 3, 4).buffer)[0])
  }
})

t.test('where less address space is to be had, less is reserved', async t => {
  const Original = SharedArrayBuffer
  t.teardown(() => {
    globalThis.SharedArrayBuffer = Original
  })
  let limitOctets = 2 ** 30
  globalThis.SharedArrayBuffer = class extends Original {
    constructor(octets: number) {
      if (octets > limitOctets) throw new RangeError('Array buffer allocation failed')
      super(8)
      Object.defineProperty(this, 'byteLength', { value: octets })
    }
  } as typeof SharedArrayBuffer
  t.equal(reserveMemory(2 ** 33).byteLength, 2 ** 30)
  limitOctets = 1000
  t.throws(() => reserveMemory(2 ** 33), { name: 'RangeError' })
})
