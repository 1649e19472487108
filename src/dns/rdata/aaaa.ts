import { defineRdata } from './define-rdata.ts'
import { ipv6, parseIpv6 } from './fields/ipv6.ts'

/** RFC 3596 section 2. */
export const aaaa = defineRdata('AAAA', { address: ipv6 }, { parsePlain: parseIpv6 })
