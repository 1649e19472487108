import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'

/** RFC 9886 section 5.1: the entity tag of a drone. */
export const hhit = defineRdata('HHIT', { data: base64Rest })

/** RFC 9886 section 5.2: the data to check a drone's broadcasts with. */
export const brid = defineRdata('BRID', { data: base64Rest })
