import { defineRdata } from './define-rdata.ts'
import { string } from './fields/strings.ts'

/** RFC 1712 section 3: three numbers as texts, unchecked, as the RFC's own examples mix them up. */
export const gpos = defineRdata('GPOS', { longitude: string, latitude: string, altitude: string })
