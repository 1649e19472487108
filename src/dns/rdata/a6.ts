import { defineRdata } from './define-rdata.ts'
import { partialAddress } from './fields/partial-address.ts'

/** RFC 2874 section 3, historic (RFC 6563). */
export const a6 = defineRdata('A6', { address: partialAddress })
