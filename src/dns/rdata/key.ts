import { defineRdata } from './define-rdata.ts'
import { base64Rest, optionalBase64Rest } from './fields/base64.ts'
import { algorithm } from './fields/code.ts'
import { u8, u16 } from './fields/integers.ts'

/** RFC 2535 section 3.1.2: both bits together mean that there is no key. */
const noKey = 0xc000

/** RFC 2535 section 3; alive as the keys of SIG(0) (RFC 2931). */
export const key = defineRdata(
  'KEY',
  { flags: u16, protocol: u8, algorithm, publicKey: optionalBase64Rest },
  {
    findFault({ flags, publicKey }) {
      const hasKey = (flags & noKey) !== noKey
      if (hasKey === publicKey.length > 0) return undefined
      return hasKey ? 'the key is missing' : `flags ${flags} say that there is no key`
    },
  },
)

/** A key for messages to a zone's readers, an assignment without an RFC. */
export const rkey = defineRdata(
  'RKEY',
  { flags: u16, protocol: u8, algorithm, publicKey: base64Rest },
  { findFault: ({ flags }) => (flags === 0 ? undefined : `the flags are 0, ${flags} was found`) },
)
