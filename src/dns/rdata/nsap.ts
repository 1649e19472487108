import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'
import { nsapAddress } from './fields/nsap-address.ts'

/** RFC 1706 section 5. */
export const nsap = defineRdata('NSAP', { address: nsapAddress })

/** RFC 1348. */
export const nsapPtr = defineRdata('NSAP-PTR', { owner: name })
