import { defineRdata } from './define-rdata.ts'
import { u16, u32 } from './fields/integers.ts'
import { typeBitmap } from './fields/type-bitmap.ts'

/** RFC 7477 section 2. */
export const csync = defineRdata('CSYNC', { serial: u32, flags: u16, types: typeBitmap })
