import type { Stamped } from './stamped.ts'

/** The limits of a project. A negative number means no limit. */
export type QuotaValues = {
  readonly zones: number
  /** Zones that are signed here. */
  readonly signedZones: number
  /** Recordsets of one zone, including SOA and NS of the apex. */
  readonly zoneRecordsets: number
  /** Records of one zone, excluding those that the server manages. */
  readonly zoneRecords: number
  readonly recordsetRecords: number
  /** Recordsets of a zone that is to be exported. */
  readonly apiExportSize: number
  /** Days for which changes of a zone are shown and can be undone, as far as the log reaches. */
  readonly historyDays: number
  /** Days for which a deleted zone can be restored, as far as the log reaches. */
  readonly deletedZoneDays: number
}

export type QuotaName = keyof QuotaValues

/** The names of quotas in the API. */
export const quotaNames = {
  zones: 'zones',
  signedZones: 'signed_zones',
  zoneRecordsets: 'zone_recordsets',
  zoneRecords: 'zone_records',
  recordsetRecords: 'recordset_records',
  apiExportSize: 'api_export_size',
  historyDays: 'history_days',
  deletedZoneDays: 'deleted_zone_days',
} as const satisfies Record<QuotaName, string>

/** The limits of a project without values of its own. */
export const defaultQuotas: QuotaValues = {
  zones: 10,
  signedZones: -1,
  zoneRecordsets: 500,
  zoneRecords: 500,
  recordsetRecords: 20,
  apiExportSize: 1000,
  historyDays: -1,
  deletedZoneDays: -1,
}

/** The limits of a project that differ from the default. */
export type Quota = Stamped & {
  readonly projectId: string
  readonly values: Partial<QuotaValues>
}
