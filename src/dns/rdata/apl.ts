import { defineRdata } from './define-rdata.ts'
import { addressPrefixes, findPrefixFault } from './fields/address-prefixes.ts'

/** RFC 3123. */
export const apl = defineRdata(
  'APL',
  { prefixes: addressPrefixes },
  { findFault: ({ prefixes }) => findPrefixFault(prefixes) },
)
