import type { ErrorType } from '../errors.ts'

/** What the creation of a zone may be refused with, beside what every request may be. */
export const zoneCreationRefusals: readonly ErrorType[] = [
  'over_quota',
  'invalid_zone_name',
  'invalid_ttl',
  'duplicate_zone',
  'illegal_child',
  'illegal_parent',
  'no_valid_pool_found',
  'no_servers_configured',
]
