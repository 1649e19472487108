import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { string } from './fields/strings.ts'

/** RFC 3403 section 4.1. */
export const naptr = defineRdata('NAPTR', {
  order: u16,
  preference: u16,
  flags: string,
  services: string,
  regexp: string,
  replacement: name,
})
