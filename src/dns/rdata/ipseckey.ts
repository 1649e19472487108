import { defineRdata } from './define-rdata.ts'
import { optionalBase64Rest } from './fields/base64.ts'
import { u8 } from './fields/integers.ts'
import { findTunnelFault, tunnel } from './fields/tunnel.ts'

/** RFC 4025 section 2. */
export const ipseckey = defineRdata(
  'IPSECKEY',
  { precedence: u8, tunnel, publicKey: optionalBase64Rest },
  {
    findFault({ tunnel, publicKey }) {
      const fault = findTunnelFault(tunnel)
      if (fault !== undefined || tunnel.algorithm !== 0 || publicKey.length === 0) return fault
      return 'algorithm 0 means that there is no key'
    },
  },
)
