import type { Recordset } from '../../model/recordset.ts'
import type { ListAttributes } from './page-request.ts'

/** What recordsets can be sorted and filtered by. */
export function recordsetAttributes({
  statusOf,
  projectOf,
}: {
  readonly statusOf: (recordset: Recordset) => string
  readonly projectOf: (recordset: Recordset) => string
}): ListAttributes<Recordset> {
  return {
    sortValues: {
      id: recordset => recordset.id,
      updated_at: recordset => recordset.updatedAt,
      zone_id: recordset => recordset.zoneId,
      tenant_id: projectOf,
      name: recordset => recordset.name.toLowerCase(),
      type: recordset => recordset.type,
      ttl: recordset => recordset.ttlSeconds,
    },
    filterValues: {
      name: recordset => [recordset.name],
      type: recordset => [recordset.type],
      ttl: recordset => [recordset.ttlSeconds],
      data: recordset => recordset.records,
      description: recordset => [recordset.description],
      status: recordset => [statusOf(recordset)],
    },
  }
}
