import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'
import { algorithm, certificateType } from './fields/code.ts'
import { u16 } from './fields/integers.ts'

/** RFC 4398 section 2. */
export const cert = defineRdata('CERT', {
  type: certificateType,
  keyTag: u16,
  algorithm,
  certificate: base64Rest,
})
