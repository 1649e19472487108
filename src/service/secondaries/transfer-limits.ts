import type { Zone } from '../../model/zone.ts'
import type { StoreReader } from '../../store/store.ts'
import type { TransferQuota } from '../../zone/transfer-in.ts'
import { quotasOf } from '../rules/quotas.ts'

// Limits of transfers: of each project, by quota, and of this server, by a ceiling for all running transfers.

/** Octets of all copies received and not yet written. A copy takes about as much memory as its messages, until it is written:
 *  this leaves a machine of two GiB room for its other work, and admits one zone of the largest size. */
export const ceilingOctets = 512 * 1024 * 1024

/** Few zones have records that large on average, and a zone of large keys only still has a mebibyte. */
const octetsPerRecord = 2048
const leastOctets = 1024 * 1024

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

/** One copy's part of the ceiling. */
type HeldOctets = {
  /** Reserves more octets; returns false and reserves none where that would exceed the ceiling. */
  hold(octets: number): boolean
  /** Gives all of them back. */
  release(): void
}

/** Counts the octets of all copies in memory. */
export class TransferCeiling {
  readonly #maxOctets: number
  #heldOctets = 0

  constructor(maxOctets: number) {
    this.#maxOctets = maxOctets
  }

  open(): HeldOctets {
    let own = 0
    return {
      hold: octets => {
        if (this.#heldOctets + octets > this.#maxOctets) return false
        this.#heldOctets += octets
        own += octets
        return true
      },
      release: () => {
        this.#heldOctets -= own
        own = 0
      },
    }
  }
}
