import { FormatError } from '../../format-error.ts'
import type { Reader } from '../../reader.ts'
import type { Field } from '../field.ts'
import { typeMnemonic } from '../mnemonic.ts'
import type { RdataText } from '../rdata-text.ts'
import type { RdataWriter } from '../rdata-writer.ts'
import { coveredType } from './type-code.ts'

// RFC 4034 section 4.1.2: windows of 256 types, each with a bitmap of 1 to 32 octets that does not end in
// zero; windows in ascending order. So every set of types has exactly one wire form.

const maxWindowOctets = 32

/** A set of types, ascending, to the end; may be empty. */
export const typeBitmap: Field<readonly number[]> = {
  decode: decodeTypes,
  encode: encodeTypes,
  parse: parseTypes,
  format: codes => codes.map(typeMnemonic).join(' '),
}

function decodeTypes(reader: Reader): number[] {
  const codes: number[] = []
  let lastWindow = -1
  while (reader.remainingOctets > 0) {
    const at = reader.offset
    const window = reader.u8()
    const bitmap = reader.take(reader.u8())
    if (window <= lastWindow) throw new FormatError(`type windows out of order at offset ${at}`)
    if (bitmap.length === 0 || bitmap.length > maxWindowOctets || bitmap.at(-1) === 0) {
      throw new FormatError(`a type window must have 1 to 32 octets, the last not zero, at ${at}`)
    }
    lastWindow = window
    bitmap.forEach((octet, index) => {
      for (let bit = 0; bit < 8; bit += 1) {
        if ((octet & (0x80 >>> bit)) !== 0) codes.push((window << 8) | (index << 3) | bit)
      }
    })
  }
  return codes
}

function encodeTypes(codes: readonly number[], writer: RdataWriter): void {
  for (const [window, members] of Map.groupBy(codes, code => code >>> 8)) {
    const bitmap = new Uint8Array(maxWindowOctets)
    let lengthOctets = 0
    for (const code of members) {
      const index = (code & 0xff) >>> 3
      bitmap[index] = (bitmap[index] ?? 0) | (0x80 >>> (code & 7))
      lengthOctets = Math.max(lengthOctets, index + 1)
    }
    writer.u8(window)
    writer.u8(lengthOctets)
    writer.octets(bitmap.subarray(0, lengthOctets))
  }
}

function parseTypes(text: RdataText): number[] {
  const codes = new Set<number>()
  while (!text.isAtEnd) codes.add(coveredType.parse(text))
  return [...codes].sort((left, right) => left - right)
}
