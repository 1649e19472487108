import { defineRdata } from './define-rdata.ts'
import { addressPrefixes, findPrefixFault } from './fields/address-prefixes.ts'
import { atmAddress, findAtmFault } from './fields/atm-address.ts'
import { base64Rest, dashedBase64Rest } from './fields/base64.ts'
import { hexRest } from './fields/hex.ts'
import { eui48Address, eui64Address, locator64, nsapAddress } from './fields/hex-words.ts'
import { u8, u16, u32 } from './fields/integers.ts'
import { ipv4 } from './fields/ipv4.ts'
import { findLocationFault, location } from './fields/location.ts'
import { name } from './fields/name.ts'
import { partialAddress } from './fields/partial-address.ts'
import { optionalString, string } from './fields/strings.ts'

// Types that few zones have. Every export of this file is registered as one.

/** RFC 1876 section 2. */
export const loc = defineRdata(
  'LOC',
  { location },
  { findFault: value => findLocationFault(value.location) },
)

/** RFC 1712 section 3: three numbers as texts, unchecked, as the RFC's own examples mix them up. */
export const gpos = defineRdata('GPOS', { longitude: string, latitude: string, altitude: string })

/** RFC 1183 section 2. */
export const rp = defineRdata('RP', { mailbox: name, text: name })

/** RFC 1183 section 1. */
export const afsdb = defineRdata('AFSDB', { subtype: u16, host: name })

const digits = /^\d+$/

/** RFC 1183 section 3.1. */
export const x25 = defineRdata(
  'X25',
  { address: string },
  {
    findFault({ address }) {
      const isAddress = digits.test(address) && address.length >= 4
      return isAddress ? undefined : 'an address has four decimal digits at least'
    },
  },
)

/** RFC 1183 section 3.2. */
export const isdn = defineRdata('ISDN', { address: string, subaddress: optionalString })

/** RFC 1183 section 3.3. */
export const rt = defineRdata('RT', { preference: u16, intermediate: name })

/** RFC 2163 section 4. */
export const px = defineRdata('PX', { preference: u16, map822: name, mapX400: name })

/** RFC 1706 section 5. */
export const nsap = defineRdata('NSAP', { address: nsapAddress })

/** RFC 1348. */
export const nsapPtr = defineRdata('NSAP-PTR', { owner: name })

/** RFC 2874 section 3, historic (RFC 6563). */
export const a6 = defineRdata('A6', { address: partialAddress })

/** RFC 3123. */
export const apl = defineRdata(
  'APL',
  { prefixes: addressPrefixes },
  { findFault: ({ prefixes }) => findPrefixFault(prefixes) },
)

/** RFC 7043 section 3. */
export const eui48 = defineRdata('EUI48', { address: eui48Address })

/** RFC 7043 section 4. */
export const eui64 = defineRdata('EUI64', { address: eui64Address })

// The identifiers and locators of ILNP (RFC 6742).

/** RFC 6742 section 2.1. */
export const nid = defineRdata('NID', { preference: u16, nodeId: locator64 })

/** RFC 6742 section 2.2. */
export const l32 = defineRdata('L32', { preference: u16, locator: ipv4 })

/** RFC 6742 section 2.3. */
export const l64 = defineRdata('L64', { preference: u16, locator: locator64 })

/** RFC 6742 section 2.4. */
export const lp = defineRdata('LP', { preference: u16, target: name })

// Endpoints and locators of the Nimrod routing architecture, from a draft that did not become an RFC.

export const eid = defineRdata('EID', { endpoint: hexRest })

export const nimloc = defineRdata('NIMLOC', { locator: hexRest })

/** ATM Name System Specification (ATM Forum, af-dans-0152.000) section 5.2. */
export const atma = defineRdata(
  'ATMA',
  { address: atmAddress },
  { findFault: ({ address }) => findAtmFault(address) },
)

/** Digital objects, from a draft that did not become an RFC. */
export const doa = defineRdata('DOA', {
  enterprise: u32,
  type: u32,
  location: u8,
  mediaType: string,
  data: dashedBase64Rest,
})

/** The kitchen sink, from a draft that did not become an RFC. */
export const sink = defineRdata('SINK', {
  meaning: u8,
  coding: u8,
  subcoding: u8,
  data: base64Rest,
})
