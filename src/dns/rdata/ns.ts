import { defineRdata } from './define-rdata.ts'
import { compressedName, parseLoneName } from './fields/name.ts'

/** RFC 1035 section 3.3.11. */
export const ns = defineRdata('NS', { nameserver: compressedName }, { parsePlain: parseLoneName })
