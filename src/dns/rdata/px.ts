import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'

/** RFC 2163 section 4. */
export const px = defineRdata('PX', { preference: u16, map822: name, mapX400: name })
