import { defineRdata } from './define-rdata.ts'
import { ipProtocol } from './fields/code.ts'
import { u16, u32 } from './fields/integers.ts'
import { ipv4, parseIpv4 } from './fields/ipv4.ts'
import { ipv6, parseIpv6 } from './fields/ipv6.ts'
import { compressedName, name, parseLoneName } from './fields/name.ts'
import { ports } from './fields/ports.ts'
import { seconds } from './fields/seconds.ts'
import { string } from './fields/strings.ts'

// The types of RFC 1035 and the few that nearly every zone has beside them. Every export of this file is registered as one.

/** RFC 1035 section 3.4.1. */
export const a = defineRdata('A', { address: ipv4 }, { parsePlain: parseIpv4 })

/** RFC 3596 section 2. */
export const aaaa = defineRdata('AAAA', { address: ipv6 }, { parsePlain: parseIpv6 })

/** RFC 1035 section 3.3.11. */
export const ns = defineRdata('NS', { nameserver: compressedName }, { parsePlain: parseLoneName })

/** RFC 1035 section 3.3.1. */
export const cname = defineRdata('CNAME', { target: compressedName }, { parsePlain: parseLoneName })

/** RFC 6672 section 2.1. */
export const dname = defineRdata('DNAME', { target: name })

/** A name whose addresses this server answers as those of the owner. It never leaves the server: transfers contain the
 *  addresses. */
export const alias = defineRdata('ALIAS', { target: name })

/** RFC 1035 section 3.3.12. */
export const ptr = defineRdata('PTR', { target: compressedName }, { parsePlain: parseLoneName })

/** RFC 1035 section 3.3.13; `minimumSeconds` is the negative TTL (RFC 2308 section 4). */
export const soa = defineRdata('SOA', {
  primary: compressedName,
  mailbox: compressedName,
  serial: u32,
  refreshSeconds: seconds,
  retrySeconds: seconds,
  expireSeconds: seconds,
  minimumSeconds: seconds,
})

/** RFC 1035 section 3.3.9. */
export const mx = defineRdata('MX', { preference: u16, exchange: compressedName })

/** RFC 1035 section 3.3.2. */
export const hinfo = defineRdata('HINFO', { cpu: string, os: string })

/** RFC 1035 section 3.4.2. */
export const wks = defineRdata('WKS', { address: ipv4, protocol: ipProtocol, ports })

// Unused mail types. They are here because their names, as those of RFC 1035 types, may arrive compressed, and a stored
// pointer would point anywhere in another message.

/** RFC 1035 section 3.3.4. */
export const md = defineRdata('MD', { agent: compressedName })

/** RFC 1035 section 3.3.5. */
export const mf = defineRdata('MF', { agent: compressedName })

/** RFC 1035 section 3.3.3. */
export const mb = defineRdata('MB', { host: compressedName })

/** RFC 1035 section 3.3.6. */
export const mg = defineRdata('MG', { mailbox: compressedName })

/** RFC 1035 section 3.3.8. */
export const mr = defineRdata('MR', { mailbox: compressedName })

/** RFC 1035 section 3.3.7. */
export const minfo = defineRdata('MINFO', { owner: compressedName, errors: compressedName })
