import t from 'tap'
import { pageWords } from '../../../src/zone/table/layout.ts'
import { TableMemory } from '../../../src/zone/table/memory.ts'
import { PagePool } from '../../../src/zone/table/page-pool.ts'
import {
  maxClassWords,
  sizeClass,
  sizeClassCount,
  wordsOfClass,
} from '../../../src/zone/table/size-class.ts'
import { Slabs } from '../../../src/zone/table/slabs.ts'
import { Dice } from '../../helpers/dice.ts'

function openSlabs(pageCount: number): Slabs {
  return new Slabs(new TableMemory(new SharedArrayBuffer(pageCount * pageWords * 4)), 1)
}

t.test('size classes: large enough, even, and at most an eighth too large', async t => {
  let previous = 0
  for (let wordCount = 1; wordCount <= maxClassWords; wordCount += 1) {
    const size = sizeClass(wordCount)
    const words = wordsOfClass(size)
    if (words < wordCount || words % 2 !== 0 || size < previous || size >= sizeClassCount) {
      t.fail(`${wordCount} words: class ${size} of ${words}`)
    }
    if (words > Math.max(wordCount + 1, wordCount * 1.125)) t.fail(`${wordCount}: ${words} words`)
    previous = size
  }
  t.equal(wordsOfClass(sizeClass(maxClassWords)), maxClassWords)
})

t.test('blocks do not overlap, whatever is taken and given back', async t => {
  const slabs = openSlabs(256)
  const dice = new Dice(7)
  const blocks: { ref: number; wordCount: number }[] = []
  const owners = new Int32Array(256 * pageWords)
  let mark = 0
  for (let round = 0; round < 20_000; round += 1) {
    if (blocks.length > 0 && dice.below(5) < 2) {
      const [{ ref, wordCount }] = blocks.splice(dice.below(blocks.length), 1) as [
        { ref: number; wordCount: number },
      ]
      const own = owners.subarray(ref, ref + wordCount)
      if (!own.every(each => each === own[0])) t.fail(`the block at ${ref} was overwritten`)
      owners.fill(0, ref, ref + wordCount)
      slabs.free(ref)
      continue
    }
    const wordCount = 1 + dice.below(dice.pick([20, 20, 20, 300, 3 * pageWords]))
    let ref = 0
    try {
      ref = slabs.allocate(wordCount)
    } catch {
      for (const block of blocks.splice(0)) {
        owners.fill(0, block.ref, block.ref + block.wordCount)
        slabs.free(block.ref)
      }
      continue
    }
    mark += 1
    const own = owners.subarray(ref, ref + wordCount)
    if (ref % 2 !== 0 || own.some(each => each !== 0)) t.fail(`${wordCount} words at ${ref}`)
    own.fill(mark)
    blocks.push({ ref, wordCount })
  }
  for (const { ref } of blocks) slabs.free(ref)
  t.equal(slabs.usedOctets, 0)
})

t.test('memory that was full of one size can fill up with another', async t => {
  const slabs = openSlabs(64)
  for (const wordCount of [4, 14, 60, 1000, pageWords * 3]) {
    const blocks: number[] = []
    t.throws(() => {
      for (;;) blocks.push(slabs.allocate(wordCount))
    }, /full/)
    t.ok(blocks.length * wordCount > 0.8 * 60 * pageWords, `${wordCount} words`)
    for (const ref of blocks) slabs.free(ref)
    t.equal(slabs.usedOctets, 0)
  }
})

t.test('pages: freed runs are joined and never cross the end of a window', async t => {
  const windowPages = 2 ** 14
  const pool = new PagePool(1, 3 * windowPages)
  const runs = Array.from({ length: 40 }, () => pool.allocate(1000))
  for (const start of runs) {
    t.equal(Math.floor(start / windowPages), Math.floor((start + 999) / windowPages))
  }
  const used = pool.usedPageCount
  t.equal(used, 1 + 40 * 1000)
  for (const start of runs.filter((_, i) => i % 2 === 0)) pool.free(start, 1000)
  for (const start of runs.filter((_, i) => i % 2 === 1)) pool.free(start, 1000)
  t.equal(pool.usedPageCount, 1)
  const touched = pool.touchedPageCount
  t.equal(pool.allocate(1024) < touched, true)
  t.throws(() => pool.allocate(1025), { name: 'RangeError' })
})
