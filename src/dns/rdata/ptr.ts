import { defineRdata } from './define-rdata.ts'
import { compressedName, parseLoneName } from './fields/name.ts'

/** RFC 1035 section 3.3.12. */
export const ptr = defineRdata('PTR', { target: compressedName }, { parsePlain: parseLoneName })
