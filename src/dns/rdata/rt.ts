import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'

/** RFC 1183 section 3.3. */
export const rt = defineRdata('RT', { preference: u16, intermediate: name })
