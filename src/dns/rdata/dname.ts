import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'

/** RFC 6672 section 2.1. */
export const dname = defineRdata('DNAME', { target: name })
