import { createHmac } from 'node:crypto'
import type { Hmac } from '../dns/tsig-mac.ts'

/** The HMAC of TSIG (RFC 8945 section 4.3), by OpenSSL. */
export const hmac: Hmac = (hash, secret, parts) => {
  const hmac = createHmac(hash, secret)
  for (const part of parts) hmac.update(part)
  return new Uint8Array(hmac.digest())
}
