import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import type { Hmac } from '../dns/tsig-mac.ts'

/** Secrets as OpenSSL takes them: with octets a MAC takes 13 µs of processor time, with these 3. */
const keys = new WeakMap<Uint8Array, KeyObject>()

/** The HMAC of TSIG (RFC 8945 section 4.3), by OpenSSL. The octets of a secret must not change. */
export const hmac: Hmac = (hash, secret, parts) => {
  const hmac = createHmac(hash, keyOf(secret))
  for (const part of parts) hmac.update(part)
  return new Uint8Array(hmac.digest())
}

function keyOf(secret: Uint8Array): KeyObject {
  const known = keys.get(secret)
  if (known !== undefined) return known
  const key = createSecretKey(secret)
  keys.set(secret, key)
  return key
}
