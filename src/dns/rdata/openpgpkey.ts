import { defineRdata } from './define-rdata.ts'
import { base64Rest } from './fields/base64.ts'

/** RFC 7929 section 2. */
export const openpgpkey = defineRdata('OPENPGPKEY', { publicKey: base64Rest })
