import { ApiError } from '../../errors.ts'
import { type Caller, reachesProject } from '../../identity/caller.ts'
import { type Changes, definedOf } from '../../model/changes.ts'
import {
  defaultQuotas,
  type Quota,
  type QuotaName,
  type QuotaValues,
  quotaNames,
} from '../../model/quota.ts'
import { quote } from '../../model/quote.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'

type QuotasOptions = {
  readonly store: Store
  /** The minimum TTL; none when not given. */
  readonly minTtlSeconds?: number
  /** Whether all projects are in the store; otherwise another identity service has them. */
  readonly knowsProjects: boolean
}

/** The quotas of projects. */
export class Quotas {
  readonly #store: Store
  readonly #knowsProjects: boolean
  /** The same for all projects. */
  readonly minTtlSeconds: number

  constructor({ store, minTtlSeconds = 0, knowsProjects }: QuotasOptions) {
    this.#store = store
    this.#knowsProjects = knowsProjects
    this.minTtlSeconds = minTtlSeconds
  }

  /** @throws ApiError forbidden: another project's, without asking for all projects */
  get(caller: Caller, projectId: string): QuotaValues {
    if (reachesProject(caller, projectId)) return quotasOf(this.#store, projectId)
    throw new ApiError('forbidden', 'The quotas of another project')
  }

  /** Changes some of a project's quotas; returns all of them.
   *  @throws ApiError invalid_project */
  set(projectId: string, changes: Changes<QuotaValues>): Promise<QuotaValues> {
    return this.#store.commit(tx => {
      if (this.#knowsProjects) requireProject(tx, projectId)
      const before = findQuota(tx, projectId)
      const values = { ...before?.values, ...definedOf(changes) }
      tx.put(
        'quotas',
        before === undefined ? newQuota(tx, projectId, values) : changedRow(tx, before, { values }),
      )
      return quotasOf(tx, projectId)
    })
  }

  /** Resets a project to the default quotas. */
  reset(projectId: string): Promise<void> {
    return this.#store.commit(tx => {
      const row = findQuota(tx, projectId)
      if (row !== undefined) tx.delete('quotas', row.id)
    })
  }
}

/** @throws ApiError invalid_project */
export function requireProject(reader: StoreReader, projectId: string): void {
  if (reader.get('projects', projectId) !== undefined) return
  throw new ApiError('invalid_project', `There is no project ${quote(projectId)}`)
}

/** The quotas of a project, with the defaults where it has none. */
export function quotasOf(reader: StoreReader, projectId: string): QuotaValues {
  return { ...defaultQuotas, ...findQuota(reader, projectId)?.values }
}

/** Checks what a project would have after a change against its quotas. Call it inside the transaction that makes the
 *  change.
 *  @throws ApiError over_quota */
export function requireWithinQuota(
  reader: StoreReader,
  projectId: string,
  wanted: Partial<QuotaValues>,
): void {
  const quotas = quotasOf(reader, projectId)
  const isExceeded = (name: QuotaName): boolean =>
    quotas[name] >= 0 && (wanted[name] ?? 0) > quotas[name]
  const exceeded = (Object.keys(quotaNames) as QuotaName[]).filter(isExceeded)
  if (exceeded.length === 0) return
  const names = exceeded.map(name => quotaNames[name]).join(', ')
  throw new ApiError('over_quota', `Quota exceeded for ${names}.`)
}

/** Requires that a project may have one more zone: created, taken over or imported.
 *  @throws ApiError over_quota */
export function requireRoomForZone(reader: StoreReader, projectId: string): void {
  requireWithinQuota(reader, projectId, {
    zones: reader.count('zones', 'byProject', projectId) + 1,
  })
}

/** Requires that a project may have one more signed zone.
 *  @throws ApiError over_quota */
export function requireRoomForSignedZone(reader: StoreReader, projectId: string): void {
  requireWithinQuota(reader, projectId, {
    signedZones: reader.count('zones', 'signedByProject', projectId) + 1,
  })
}

/** Requires that a zone may have one more recordset, by the quotas of its owner.
 *  @throws ApiError over_quota */
export function requireRoomForRecordset(reader: StoreReader, zone: Zone): void {
  const zoneRecordsets = reader.count('recordsets', 'byZone', zone.id) + 1
  requireWithinQuota(reader, zone.projectId, { zoneRecordsets })
}

/** Requires that a recordset and its zone may have these records, by the quotas of the zone's owner. A recordset
 *  that does not grow is never refused: this is the way back below a quota that was lowered.
 *  @throws ApiError over_quota */
export function requireRoomForRecords(
  reader: StoreReader,
  zone: Zone,
  { before, after }: { readonly before: number; readonly after: number },
): void {
  if (after <= before) return
  const stored = reader.sum('recordsets', 'recordsOfZone', zone.id)
  const zoneRecords = stored - before + after
  requireWithinQuota(reader, zone.projectId, { zoneRecords, recordsetRecords: after })
}

function findQuota(reader: StoreReader, projectId: string): Quota | undefined {
  return reader.find('quotas', 'byProject', projectId)
}

function newQuota(tx: Transaction, projectId: string, values: Partial<QuotaValues>): Quota {
  return { ...newStamp(tx), projectId, values }
}
