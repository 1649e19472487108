import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'
import { typeBitmap } from './fields/type-bitmap.ts'

/** RFC 4034 section 4. */
export const nsec = defineRdata('NSEC', { next: name, types: typeBitmap })
