import { defineRdata } from './define-rdata.ts'
import { u8 } from './fields/integers.ts'
import { propertyTag, propertyValue } from './fields/property.ts'

/** RFC 8659 section 4.1. */
export const caa = defineRdata('CAA', { flags: u8, tag: propertyTag, value: propertyValue })
