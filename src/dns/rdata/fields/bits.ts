// Sets of numbers, ascending, as bitmaps, a bit each, without zero octets at the end: so every set has exactly one wire form.

/** The numbers of the bits that are set. */
export function bitsIn(bitmap: Uint8Array): number[] {
  const set: number[] = []
  bitmap.forEach((octet, index) => {
    for (let bit = 0; bit < 8; bit += 1) {
      if ((octet & (0x80 >>> bit)) !== 0) set.push((index << 3) | bit)
    }
  })
  return set
}

/** As many octets as the last of the numbers needs. */
export function bitmapOf(numbers: readonly number[]): Uint8Array {
  const bitmap = new Uint8Array(((numbers.at(-1) ?? -1) + 8) >> 3)
  for (const number of numbers) {
    bitmap[number >>> 3] = (bitmap[number >>> 3] ?? 0) | (0x80 >>> (number & 7))
  }
  return bitmap
}

/** Each number once. */
export function ascending(numbers: readonly number[]): number[] {
  return [...new Set(numbers)].sort((left, right) => left - right)
}
