import { defineRdata } from './define-rdata.ts'
import { string } from './fields/strings.ts'

/** RFC 1035 section 3.3.2. */
export const hinfo = defineRdata('HINFO', { cpu: string, os: string })
