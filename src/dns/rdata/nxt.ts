import { defineRdata } from './define-rdata.ts'
import { lowTypes } from './fields/low-types.ts'
import { name } from './fields/name.ts'

/** RFC 2535 section 5. */
export const nxt = defineRdata('NXT', { nextDomain: name, types: lowTypes })
