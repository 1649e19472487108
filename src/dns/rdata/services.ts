import { defineRdata } from './define-rdata.ts'
import { notifyScheme } from './fields/code.ts'
import { findKindFault, relay } from './fields/gateway.ts'
import { u8, u16 } from './fields/integers.ts'
import { name } from './fields/name.ts'
import { propertyTag, propertyValue } from './fields/property.ts'
import { string, textRest } from './fields/strings.ts'
import { coveredType } from './fields/type-code.ts'

// Where services are, and who may certify or signal for them. Every export of this file is registered as one.

/** RFC 2782. */
export const srv = defineRdata('SRV', { priority: u16, weight: u16, port: u16, target: name })

/** RFC 3403 section 4.1. */
export const naptr = defineRdata('NAPTR', {
  order: u16,
  preference: u16,
  flags: string,
  services: string,
  regexp: string,
  replacement: name,
})

/** RFC 7553 section 4. */
export const uri = defineRdata(
  'URI',
  { priority: u16, weight: u16, target: textRest },
  { findFault: ({ target }) => (target === '' ? 'the target is empty' : undefined) },
)

/** RFC 2230 section 3. */
export const kx = defineRdata('KX', { preference: u16, exchanger: name })

/** RFC 8659 section 4.1. */
export const caa = defineRdata('CAA', { flags: u8, tag: propertyTag, value: propertyValue })

/** RFC 8777 section 4. */
export const amtrelay = defineRdata(
  'AMTRELAY',
  { precedence: u8, relay },
  { findFault: value => findKindFault('relay', value.relay.kind) },
)

/** RFC 9859 section 2. */
export const dsync = defineRdata('DSYNC', {
  type: coveredType,
  scheme: notifyScheme,
  port: u16,
  target: name,
})
