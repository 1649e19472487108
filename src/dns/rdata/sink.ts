import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'
import { u8 } from './fields/integers.ts'

/** The kitchen sink, from a draft that did not become an RFC. */
export const sink = defineRdata('SINK', {
  meaning: u8,
  coding: u8,
  subcoding: u8,
  data: base64Rest,
})
