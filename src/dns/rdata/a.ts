import { defineRdata } from './define-rdata.ts'
import { ipv4, parseIpv4 } from './fields/ipv4.ts'

/** RFC 1035 section 3.4.1. */
export const a = defineRdata('A', { address: ipv4 }, { parsePlain: parseIpv4 })
