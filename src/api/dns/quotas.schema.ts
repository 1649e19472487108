import { type Static, Type } from 'typebox'
import type { Changes } from '../../model/changes.ts'
import type { QuotaValues } from '../../model/quota.ts'

/** A number of things; below zero, any number of them. */
export const quotaField = Type.Integer({ minimum: -1, maximum: 2_147_483_647 })

/** Body of `PATCH /quotas/<project id>`. */
export const quotaPatchSchema = Type.Partial(
  Type.Object({
    zones: quotaField,
    signed_zones: quotaField,
    zone_recordsets: quotaField,
    zone_records: quotaField,
    recordset_records: quotaField,
    api_export_size: quotaField,
    history_days: quotaField,
    deleted_zone_days: quotaField,
  }),
  { title: 'quota', examples: [{ zones: 100 }], additionalProperties: false },
)

export function quotaChangesFromBody(body: Static<typeof quotaPatchSchema>): Changes<QuotaValues> {
  return {
    zones: body.zones,
    signedZones: body.signed_zones,
    zoneRecordsets: body.zone_recordsets,
    zoneRecords: body.zone_records,
    recordsetRecords: body.recordset_records,
    apiExportSize: body.api_export_size,
    historyDays: body.history_days,
    deletedZoneDays: body.deleted_zone_days,
  }
}
