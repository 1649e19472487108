import t from 'tap'
import { type Block, SlotMemory } from '../../src/store/slot-memory.ts'

const unitWords = 512

t.test('no two blocks have a word in common, and each is 0 when it is taken', async t => {
  const memory = new SlotMemory()
  const used = new Map<number, Set<number>>()
  const sizes = [16, 32, 256, unitWords, 3 * unitWords, 4 * unitWords]
  for (let i = 0; i < 600; i += 1) {
    const words = sizes[i % sizes.length] as number
    const { page, base } = memory.take(words)
    const slots = memory.pages[page] as Int32Array
    const ofPage = used.get(page) ?? new Set()
    used.set(page, ofPage)
    for (let at = base; at < base + words; at += 1) {
      if (slots[at] !== 0 || ofPage.has(at)) t.fail(`word ${at} of page ${page} is not free`)
      ofPage.add(at)
      slots[at] = -1
    }
    if (i % 3 > 0) continue
    memory.giveBack({ page, base }, words)
    for (let at = base; at < base + words; at += 1) ofPage.delete(at)
  }
  t.ok(memory.pages.length > 1)
})

t.test('blocks that are given back make room for larger ones', async t => {
  const memory = new SlotMemory()
  const blocks: Block[] = []
  for (let i = 0; i < 1000; i += 1) blocks.push(memory.take(3 * unitWords))
  const pageCount = memory.pages.length
  for (const block of blocks) memory.giveBack(block, 3 * unitWords)
  for (let i = 0; i < 700; i += 1) memory.take(4 * unitWords)
  t.equal(memory.pages.length, pageCount)
})
