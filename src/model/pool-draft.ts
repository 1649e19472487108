import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { hostNameProblem } from './host-name.ts'
import type { NsRecord, Pool } from './pool.ts'
import { poolAttributeErrors } from './pool-attributes.ts'
import { quote } from './quote.ts'

/** The fields of a new pool. The schemas have already checked lengths and ranges (limits.ts). */
export type PoolDraft = Pick<
  Pool,
  'name' | 'description' | 'projectId' | 'provisioner' | 'attributes'
> & { readonly nsRecords: readonly NsRecordDraft[] }

/** A requested name server. It is matched to a stored one by id, or else by name; without a match it is new. */
export type NsRecordDraft = NsRecord & { readonly id?: string }

/** Changes of a pool; an undefined field stays as it is, a given one replaces the whole former value. */
export type PoolPatch = Changes<PoolDraft> & Partial<Pick<Pool, 'configuredNameServers'>>

/** Checks the fields of a pool that is new, or as they would be after a change. */
export function poolErrors({
  nsRecords,
  attributes,
}: Pick<PoolDraft, 'nsRecords' | 'attributes'>): FieldError[] {
  return [...nsRecordErrors(nsRecords), ...poolAttributeErrors(attributes)]
}

function nsRecordErrors(nsRecords: readonly NsRecord[]): FieldError[] {
  const seen = new Set<string>()
  return nsRecords.flatMap(({ hostname }, i) => {
    const lowerName = hostname.toLowerCase()
    const problem = seen.has(lowerName) ? 'it is there twice' : hostNameProblem(hostname)
    seen.add(lowerName)
    if (problem === undefined) return []
    const path = ['ns_records', i, 'hostname']
    return {
      path,
      message: `${quote(hostname)} is not a 'hostname': ${problem}`,
      validator: 'format',
    }
  })
}
