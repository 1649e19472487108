import type { Stamped } from './stamped.ts'

/** The limits of a project, by their names in the API. */
export const quotaNames = {
  zones: 'zones',
  /** Zones that are signed here. */
  signedZones: 'signed_zones',
  /** Recordsets of one zone, including SOA and NS of the apex. */
  zoneRecordsets: 'zone_recordsets',
  /** Records of one zone, excluding those that the server manages. */
  zoneRecords: 'zone_records',
  recordsetRecords: 'recordset_records',
  /** Recordsets of a zone that is to be exported. */
  apiExportSize: 'api_export_size',
  /** Days for which changes of a zone are shown and can be undone, as far as the log reaches. */
  historyDays: 'history_days',
  /** Days for which a deleted zone can be restored, as far as the log reaches. */
  deletedZoneDays: 'deleted_zone_days',
} as const

export type QuotaName = keyof typeof quotaNames

/** A negative number means no limit. */
export type QuotaValues = Readonly<Record<QuotaName, number>>

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
