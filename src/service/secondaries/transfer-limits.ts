import type { Zone } from '../../model/zone.ts'
import type { StoreReader } from '../../store/store.ts'
import type { TransferQuota } from '../../zone/transfer-in.ts'
import { quotasOf } from '../rules/quotas.ts'

// What a transfer may cost: its project, by quota, and this server, by a ceiling for all that is under way.

/** Of all copies that have been received and not yet been written. A copy weighs about what its messages do, and is held
 *  until it is written: this leaves a machine of two GiB its other work, and lets one zone of the largest size in. */
export const ceilingOctets = 512 * 1024 * 1024

/** Few zones have as much for each of their records, and a zone that is all large keys still has a mebibyte. */
const octetsPerRecord = 2048
const leastOctets = 1024 * 1024

/** What the owner of a zone may transfer into it. */
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

/** A negative quota is no limit. */
function bound(quota: number): number {
  return quota < 0 ? Number.POSITIVE_INFINITY : quota
}

/** One copy's part of the ceiling. */
export type HeldOctets = {
  /** Takes so many more; returns false, and takes none, where that is too much. */
  hold(octets: number): boolean
  /** Gives all of them back. */
  release(): void
}

/** Counts the octets of all copies under way. */
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
