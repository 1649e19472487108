import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'

/** RFC 1183 section 1. */
export const afsdb = defineRdata('AFSDB', { subtype: u16, host: name })
