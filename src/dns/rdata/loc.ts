import { defineRdata } from './define-rdata.ts'
import { findLocationFault, location } from './fields/location.ts'

/** RFC 1876 section 2. */
export const loc = defineRdata(
  'LOC',
  { location },
  { findFault: value => findLocationFault(value.location) },
)
