import type { QuotaValues } from '../../model/quota.ts'

/** How much a project may have, as clients see it. Designate's give back every quota that they are shown, so one that it
 *  has not is shown only where it is set. */
export function quotasView(values: QuotaValues): object {
  return {
    zones: values.zones,
    ...(values.signedZones >= 0 && { signed_zones: values.signedZones }),
    zone_recordsets: values.zoneRecordsets,
    zone_records: values.zoneRecords,
    recordset_records: values.recordsetRecords,
    api_export_size: values.apiExportSize,
  }
}
