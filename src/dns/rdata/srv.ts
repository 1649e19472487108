import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'

/** RFC 2782. */
export const srv = defineRdata('SRV', { priority: u16, weight: u16, port: u16, target: name })
