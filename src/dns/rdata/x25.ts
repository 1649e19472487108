import { defineRdata } from './define-rdata.ts'
import { optionalString, string } from './fields/strings.ts'

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
