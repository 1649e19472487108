import type { QuotaValues } from '../../model/quota.ts'

/** How much a project may have, as clients see it. Designate's give back every quota that they are shown, so those that it
 *  has not are shown only where they are set. */
export function quotasView(values: QuotaValues): object {
  return {
    zones: values.zones,
    ...(values.signedZones >= 0 && { signed_zones: values.signedZones }),
    zone_recordsets: values.zoneRecordsets,
    zone_records: values.zoneRecords,
    recordset_records: values.recordsetRecords,
    api_export_size: values.apiExportSize,
    ...(values.historyDays >= 0 && { history_days: values.historyDays }),
    ...(values.deletedZoneDays >= 0 && { deleted_zone_days: values.deletedZoneDays }),
  }
}
