import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { textRest } from './fields/strings.ts'

/** RFC 7553 section 4. */
export const uri = defineRdata(
  'URI',
  { priority: u16, weight: u16, target: textRest },
  { findFault: ({ target }) => (target === '' ? 'the target is empty' : undefined) },
)
