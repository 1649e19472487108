import type { ErrorType } from '../errors.ts'

/** The refusals of the creation of a zone, besides those of every request. */
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

/** The refusals of a change of several recordsets. */
export const changeSetRefusals: readonly ErrorType[] = [
  'zone_not_found',
  'recordset_not_found',
  'precondition_failed',
  'over_quota',
  'invalid_ttl',
  'invalid_recordset_location',
  'duplicate_recordset',
  'bad_request',
]
