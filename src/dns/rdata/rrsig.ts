import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'
import { algorithm } from './fields/code.ts'
import { u8, u16, u32 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { timestamp } from './fields/timestamp.ts'
import { coveredType } from './fields/type-code.ts'

const fields = {
  typeCovered: coveredType,
  algorithm,
  labelCount: u8,
  originalTtlSeconds: u32,
  expiration: timestamp,
  inception: timestamp,
  keyTag: u16,
  signer: name,
  signature: base64Rest,
}

/** RFC 4034 section 3. */
export const rrsig = defineRdata('RRSIG', fields)

/** RFC 2535 section 4, which RFC 4034 gave the fields of RRSIG to; alive as SIG(0) (RFC 2931). */
export const sig = defineRdata('SIG', fields)
