import type { Field } from '../field.ts'
import type { RdataText } from '../rdata-text.ts'

export const u8: Field<number> = {
  fixedOctets: 1,
  decode: reader => reader.u8(),
  encode: (value, writer) => writer.u8(value),
  parse: text => parseInteger(text, 0xff),
  format: String,
}

export const u16: Field<number> = {
  fixedOctets: 2,
  decode: reader => reader.u16(),
  encode: (value, writer) => writer.u16(value),
  parse: text => parseInteger(text, 0xffff),
  format: String,
}

export const u32: Field<number> = {
  fixedOctets: 4,
  decode: reader => reader.u32(),
  encode: (value, writer) => writer.u32(value),
  parse: text => parseInteger(text, 0xffff_ffff),
  format: String,
}

/** Reads an unsigned decimal number without sign or point, with no more digits than the largest has.
 *  @throws FormatError anything else, or above `max`. */
export function parseInteger(text: RdataText, max: number): number {
  const expected = `a number from 0 to ${max}`
  const { raw, isQuoted } = text.next(expected)
  const value = Number(raw)
  const isTooLong = raw.length > String(max).length
  if (isQuoted || isTooLong || !digits.test(raw) || value > max) throw text.fault(expected, raw)
  return value
}

const digits = /^\d+$/
