import { defineRdata } from './define-rdata.ts'
import { base32hex } from './fields/base32hex.ts'
import { u8, u16 } from './fields/integers.ts'
import { salt } from './fields/salt.ts'
import { typeBitmap } from './fields/type-bitmap.ts'

const parameters = { hashAlgorithm: u8, flags: u8, iterations: u16, salt }

/** RFC 5155 section 3. */
export const nsec3 = defineRdata('NSEC3', {
  ...parameters,
  nextHash: base32hex,
  types: typeBitmap,
})

/** RFC 5155 section 4. */
export const nsec3param = defineRdata('NSEC3PARAM', parameters)
