import { defineRdata } from './define-rdata.ts'
import { ipProtocol } from './fields/code.ts'
import { ipv4 } from './fields/ipv4.ts'
import { ports } from './fields/ports.ts'

/** RFC 1035 section 3.4.2. */
export const wks = defineRdata('WKS', { address: ipv4, protocol: ipProtocol, ports })
