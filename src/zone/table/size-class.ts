import { pageWords } from './layout.ts'

// The sizes of blocks: every even number of words up to 64, then eight sizes per doubling, so at most an eighth is
// wasted. A block above half a page has pages of its own.

const lastFineWords = 64
const stepsPerDoubling = 8

export const maxClassWords = pageWords / 2
const fineClassCount = lastFineWords / 2
const doublingCount = Math.log2(maxClassWords / lastFineWords)
/** Class 0 is unused. */
export const sizeClassCount = 1 + fineClassCount + doublingCount * stepsPerDoubling

/** Returns the class of blocks of at least so many words, at most `maxClassWords`. */
export function sizeClass(wordCount: number): number {
  if (wordCount <= lastFineWords) return Math.max(1, (wordCount + 1) >> 1)
  // Above 64, in (2^n, 2^(n+1)], sizes go in steps of 2^(n-3).
  const doubling = 31 - Math.clz32(wordCount - 1)
  const step = doubling - Math.log2(stepsPerDoubling)
  const stepsAbove = (wordCount - 1 - (1 << doubling)) >> step
  return fineClassCount + (doubling - Math.log2(lastFineWords)) * stepsPerDoubling + stepsAbove + 1
}

/** Returns how many words a block of the class has. */
export function wordsOfClass(size: number): number {
  return classWords[size] as number
}

const classWords = Int32Array.from({ length: sizeClassCount }, (_, size) => {
  if (size <= fineClassCount) return 2 * size
  const above = size - fineClassCount - 1
  const doubling = Math.log2(lastFineWords) + Math.floor(above / stepsPerDoubling)
  return 2 ** doubling + ((above % stepsPerDoubling) + 1) * 2 ** (doubling - 3)
})
