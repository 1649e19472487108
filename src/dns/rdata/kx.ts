import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'

/** RFC 2230 section 3. */
export const kx = defineRdata('KX', { preference: u16, exchanger: name })
