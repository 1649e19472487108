import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'

/** A name whose addresses this server answers as those of the owner. It never leaves the server: transfers contain the
 *  addresses. */
export const alias = defineRdata('ALIAS', { target: name })
