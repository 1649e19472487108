import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { compressedName } from './fields/name.ts'

/** RFC 1035 section 3.3.9. */
export const mx = defineRdata('MX', { preference: u16, exchange: compressedName })
