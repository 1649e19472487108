import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'
import { algorithm } from './fields/code.ts'
import { u8, u16 } from './fields/integers.ts'

const fields = { flags: u16, protocol: u8, algorithm, publicKey: base64Rest }

/** RFC 4034 section 2.1.2. */
const dnssecProtocol = 3

function findFault({ protocol }: { protocol: number }): string | undefined {
  return protocol === dnssecProtocol ? undefined : `the protocol is 3, ${protocol} was found`
}

/** RFC 4034 section 2. */
export const dnskey = defineRdata('DNSKEY', fields, { findFault })

/** RFC 7344 section 3.2. `0 3 0 AA==` asks the parent to remove the DS set (RFC 8078 section 4). */
export const cdnskey = defineRdata('CDNSKEY', fields, { findFault })
