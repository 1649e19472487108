import { defineRdata } from './define-rdata.ts'
import { u32 } from './fields/integers.ts'
import { compressedName } from './fields/name.ts'
import { seconds } from './fields/seconds.ts'

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
