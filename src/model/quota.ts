import type { Stamped } from './stamped.ts'

/** How much a project may have. A negative number is no limit. */
export type QuotaValues = {
  readonly zones: number
  /** Zones that are signed here. */
  readonly signedZones: number
  /** Recordsets of one zone, SOA and NS of the apex among them. */
  readonly zoneRecordsets: number
  /** Records of one zone beside those that the server keeps. */
  readonly zoneRecords: number
  readonly recordsetRecords: number
  /** Recordsets of a zone that is to be exported. */
  readonly apiExportSize: number
  /** Days that changes of a zone are seen and can be taken back, as far as the log goes. */
  readonly historyDays: number
  /** Days that a deleted zone can be restored, as far as the log goes. */
  readonly deletedZoneDays: number
}

export type QuotaName = keyof QuotaValues

/** What quotas are called by clients. */
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

/** What a project may have while nobody says otherwise. */
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

/** A project's limits that are not the default ones. */
export type Quota = Stamped & {
  readonly projectId: string
  readonly values: Partial<QuotaValues>
}
