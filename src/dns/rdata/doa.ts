import { defineRdata } from './define-rdata.ts'
import { dashedBase64Rest } from './fields/base64.ts'
import { u8, u32 } from './fields/integers.ts'
import { string } from './fields/strings.ts'

/** Digital objects, from a draft that did not become an RFC. */
export const doa = defineRdata('DOA', {
  enterprise: u32,
  type: u32,
  location: u8,
  mediaType: string,
  data: dashedBase64Rest,
})
