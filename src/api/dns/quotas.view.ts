import type { QuotaValues } from '../../model/quota.ts'

/** The quotas of a project, as clients see them. Clients of Designate send back every quota that they are shown, so quotas
 *  unknown to Designate are shown only where they are set. */
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
