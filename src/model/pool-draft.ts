import type { FieldError } from '../errors.ts'
import type { Changes } from './changes.ts'
import { hostNameProblem } from './host-name.ts'
import type { NsRecord, Pool } from './pool.ts'
import { poolAttributeErrors } from './pool-attributes.ts'
import { quote } from './quote.ts'

/** What is said of a new pool. Lengths and ranges are already as the schemas demand (limits.ts). */
export type PoolDraft = Pick<
  Pool,
  'name' | 'description' | 'projectId' | 'provisioner' | 'attributes'
> & { readonly nsRecords: readonly NsRecordDraft[] }

/** A name server as it is to be. It is the stored one with that id, or else the one of that name; one that is
 *  neither is new. */
export type NsRecordDraft = NsRecord & { readonly id?: string }

/** What is to change of a pool; undefined leaves as it is, and what is given replaces all there was. */
export type PoolPatch = Changes<PoolDraft> & Partial<Pick<Pool, 'configuredNameServers'>>

/** Checks a pool's fields, new or as they would be after a change. */
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
