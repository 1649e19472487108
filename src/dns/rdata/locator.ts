import { defineRdata } from './define-rdata.ts'
import { u16 } from './fields/integers.ts'
import { ipv4 } from './fields/ipv4.ts'
import { locator64 } from './fields/locator64.ts'
import { name } from './fields/name.ts'

// The identifiers and locators of ILNP (RFC 6742).

/** RFC 6742 section 2.1. */
export const nid = defineRdata('NID', { preference: u16, nodeId: locator64 })

/** RFC 6742 section 2.2. */
export const l32 = defineRdata('L32', { preference: u16, locator: ipv4 })

/** RFC 6742 section 2.3. */
export const l64 = defineRdata('L64', { preference: u16, locator: locator64 })

/** RFC 6742 section 2.4. */
export const lp = defineRdata('LP', { preference: u16, target: name })
