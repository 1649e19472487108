import { defineRdata } from './define-rdata.ts'
import { u8 } from './fields/integers.ts'
import { findRelayFault, relay } from './fields/relay.ts'

/** RFC 8777 section 4. */
export const amtrelay = defineRdata(
  'AMTRELAY',
  { precedence: u8, relay },
  { findFault: value => findRelayFault(value.relay) },
)
