import type { OctetBounds } from '../../held-octets.ts'
import type { Zone } from '../../model/zone.ts'
import type { StoreReader } from '../../store/store.ts'
import type { TransferQuota } from '../../zone/transfer-in.ts'
import { quotasOf } from '../rules/quotas.ts'

// Limits of transfers: of each project, by quota, and of this server, by a ceiling for all running transfers.

const mebi = 1024 * 1024

/** Copies that are received and not yet written: each takes about as much memory as its messages. One zone of the largest size
 *  for a project, and beside it what others usually need. This leaves a machine of two GiB room for its other work. */
export const ceilingOctets: OctetBounds = { each: 512 * mebi, all: 576 * mebi }

/** Few zones have records that large on average, and a zone of large keys only still has a mebibyte. */
const octetsPerRecord = 2048
const leastOctets = mebi

/** The quota of the zone's project for a transfer into it. */
export function transferQuotaOf(reader: StoreReader, { projectId }: Zone): TransferQuota {
  const { zoneRecordsets, zoneRecords, recordsetRecords } = quotasOf(reader, projectId)
  const maxRecords = bound(zoneRecords)
  return {
    maxRrsets: bound(zoneRecordsets),
    maxRecords,
    maxRrsetRecords: bound(recordsetRecords),
    maxOctets: Math.max(leastOctets, maxRecords * octetsPerRecord),
  }
}

/** A negative quota means no limit. */
function bound(quota: number): number {
  return quota < 0 ? Number.POSITIVE_INFINITY : quota
}
