import { defineRdata } from './define-rdata.ts'
import { compressedName, parseLoneName } from './fields/name.ts'

/** RFC 1035 section 3.3.1. */
export const cname = defineRdata('CNAME', { target: compressedName }, { parsePlain: parseLoneName })
