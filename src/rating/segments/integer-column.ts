import type { ByteReader } from './byte-reader.ts'
import type { ByteWriter } from './byte-writer.ts'

// A column of whole numbers as base + step × offset. The step is the greatest common divisor of what is above
// the base, so hours are one byte each, and a price that is a quantity times a cost is as small as the quantity.
// Offsets have a fixed width and are read without a branch.
//
//   base signed | step varint | width byte (0, 1, 2, 4 or 8), both absent when step is 0: all equal | offsets

/** Values must be whole and within ±2^52. */
export const maxColumnInteger = 2 ** 52 - 1

export function writeIntegers(writer: ByteWriter, values: Float64Array): void {
  let base = values[0] ?? 0
  for (const value of values) if (value < base) base = value
  let step = 0
  let largest = 0
  for (const value of values) {
    step = step === 1 ? 1 : greatestCommonDivisor(value - base, step)
    if (value - base > largest) largest = value - base
  }
  writer.signed(base)
  writer.varint(step)
  if (step === 0) return
  const width = widthFor(largest / step)
  writer.byte(width)
  const room = writer.room(values.length * width)
  for (let i = 0; i < values.length; i++) {
    putOffset(room, i * width, { width, value: ((values[i] ?? 0) - base) / step })
  }
}

export function readIntegers(reader: ByteReader, count: number): Float64Array {
  const values = new Float64Array(count)
  const base = reader.signed()
  const step = reader.varint()
  if (step === 0) return values.fill(base)
  const width = reader.byte()
  const at = reader.skip(count * width)
  const { bytes } = reader
  if (width === 1) {
    for (let i = 0; i < count; i++) values[i] = base + step * (bytes[at + i] ?? 0)
  } else if (width === 2) {
    for (let i = 0; i < count; i++) values[i] = base + step * bytes.readUInt16LE(at + 2 * i)
  } else if (width === 4) {
    for (let i = 0; i < count; i++) values[i] = base + step * bytes.readUInt32LE(at + 4 * i)
  } else {
    for (let i = 0; i < count; i++) values[i] = base + step * bytes.readDoubleLE(at + 8 * i)
  }
  return values
}

function widthFor(largest: number): number {
  if (largest < 2 ** 8) return 1
  if (largest < 2 ** 16) return 2
  return largest < 2 ** 32 ? 4 : 8
}

function putOffset(
  room: Buffer,
  at: number,
  { width, value }: { readonly width: number; readonly value: number },
): void {
  if (width === 1) room[at] = value
  else if (width === 2) room.writeUInt16LE(value, at)
  else if (width === 4) room.writeUInt32LE(value, at)
  else room.writeDoubleLE(value, at)
}

function greatestCommonDivisor(a: number, b: number): number {
  let [larger, smaller] = [a, b]
  while (smaller !== 0) [larger, smaller] = [smaller, larger % smaller]
  return larger
}
