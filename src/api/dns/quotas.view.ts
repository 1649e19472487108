import type { QuotaValues } from '../../model/quota.ts'

/** How much a project may have, as clients see it. */
export function quotasView(values: QuotaValues): object {
  return {
    zones: values.zones,
    signed_zones: values.signedZones,
    zone_recordsets: values.zoneRecordsets,
    zone_records: values.zoneRecords,
    recordset_records: values.recordsetRecords,
    api_export_size: values.apiExportSize,
  }
}
