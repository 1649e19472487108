import type { Name } from '../dns/name.ts'
import { isNewerSerial } from '../dns/serial.ts'
import type { SignatureTimes } from './key.ts'

// The policy `default`: one key of algorithm 13 for all, without end, NSEC, and signatures of 14 days that are renewed 5
// days before their end.

const daySeconds = 86_400
const backdatedSeconds = 3600
const renewedWithinSeconds = 9 * daySeconds
const spreadSeconds = 8 * daySeconds
const leastRefreshSeconds = 5 * daySeconds
/** 34 years: a signature that is good for 2^31 seconds or more has expired (RFC 4034 section 3.1.5). */
const mostRefreshSeconds = 2 ** 30
/** The assumed longest TTL of a zone. */
const longestTtlSeconds = daySeconds

export const dnskeyTtlSeconds = 3600

/** How long before its end a signature is renewed, so that secondaries which lose this server expire the zone, and caches
 *  their records, while the signature is good. */
export function refreshSeconds(soaExpireSeconds: number): number {
  const wanted = Math.max(leastRefreshSeconds, soaExpireSeconds + longestTtlSeconds)
  return Math.min(wanted, mostRefreshSeconds)
}

/** The validity period of a new signature of a name. Where many are made at once, their ends are spread, so that they
 *  are not all renewed at once.
 *  @param spreads the name, where they are */
export function signatureTimes(
  nowSeconds: number,
  soaExpireSeconds: number,
  spreads?: Name,
): SignatureTimes {
  const validity = refreshSeconds(soaExpireSeconds) + renewedWithinSeconds
  const less = spreads === undefined ? 0 : Math.floor(fraction(spreads) * spreadSeconds)
  return { inception: nowSeconds - backdatedSeconds, expiration: nowSeconds + validity - less }
}

/** Whether a signature need not be renewed yet. One that is not valid yet was made by a clock that was ahead. */
export function isLasting(
  { inception, expiration }: SignatureTimes,
  nowSeconds: number,
  soaExpireSeconds: number,
): boolean {
  // Its times are serial numbers (RFC 4034 section 3.1.5).
  const least = (nowSeconds + refreshSeconds(soaExpireSeconds)) >>> 0
  return !isNewerSerial(inception, nowSeconds >>> 0) && isNewerSerial(expiration, least)
}

/** A number below 1 that belongs to a name (FNV-1a, with its bits mixed once more). */
function fraction(name: Name): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i += 1) {
    hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 32
}
