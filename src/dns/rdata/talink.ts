import { defineRdata } from './define-rdata.ts'
import { name } from './fields/name.ts'

/** The trust anchors before and after, an assignment without an RFC. */
export const talink = defineRdata('TALINK', { previous: name, next: name })
