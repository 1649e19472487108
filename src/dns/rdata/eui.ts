import { defineRdata } from './define-rdata.ts'
import { eui48Address, eui64Address } from './fields/eui-address.ts'

/** RFC 7043 section 3. */
export const eui48 = defineRdata('EUI48', { address: eui48Address })

/** RFC 7043 section 4. */
export const eui64 = defineRdata('EUI64', { address: eui64Address })
