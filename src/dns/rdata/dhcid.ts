import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'

/** RFC 4701 section 3. */
export const dhcid = defineRdata('DHCID', { digest: base64Rest })
