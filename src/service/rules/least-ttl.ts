import { ApiError } from '../../errors.ts'
import type { Caller } from '../../identity/caller.ts'
import { isAllowed } from '../../identity/policy.ts'

/** Refuses TTLs so low that every resolver would ask all the time; null means a default and is accepted.
 *  @throws ApiError invalid_ttl */
export function requireLeastTtl(
  caller: Caller,
  ttlSeconds: number | null | undefined,
  minTtlSeconds = 0,
): void {
  const isLow = typeof ttlSeconds === 'number' && ttlSeconds < minTtlSeconds
  if (!isLow || isAllowed(caller, 'use_low_ttl')) return
  throw new ApiError('invalid_ttl', `TTL is below the minimum: ${minTtlSeconds}`)
}
