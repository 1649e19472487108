import { defineRdata } from './define-rdata.ts'
import { notifyScheme } from './fields/code.ts'
import { u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { coveredType } from './fields/type-code.ts'

/** RFC 9859 section 2. */
export const dsync = defineRdata('DSYNC', {
  type: coveredType,
  scheme: notifyScheme,
  port: u16,
  target: name,
})
