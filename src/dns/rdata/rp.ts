import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'

/** RFC 1183 section 2. */
export const rp = defineRdata('RP', { mailbox: name, text: name })
