import type { Zone } from '../../model/zone.ts'
import type { StoreReader } from '../../store/store.ts'
import type { TransferQuota } from '../../zone/transfer-in.ts'
import { quotasOf } from '../rules/quotas.ts'

// Limits of transfers: of each project, by quota, and of this server, by a ceiling for all running transfers.

const mebi = 1024 * 1024

/** Octets of copies received and not yet written. A copy takes about as much memory as its messages, until it is written. */
export type CeilingOctets = { readonly each: number; readonly all: number }

/** One zone of the largest size for a project, and beside it what others usually need. This leaves a machine of two GiB room for
 *  its other work. */
export const ceilingOctets: CeilingOctets = { each: 512 * mebi, all: 576 * mebi }

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

/** One copy's part of the ceiling. */
type HeldOctets = {
  /** Reserves more octets; returns false and reserves none where that would exceed the ceiling. */
  hold(octets: number): boolean
  /** Gives all of them back. */
  release(): void
}

/** Counts the octets of all copies in memory: of each project, so that it leaves others room, and in all. */
export class TransferCeiling {
  readonly #bounds: CeilingOctets
  readonly #heldByProject = new Map<string, number>()
  #heldOctets = 0

  constructor(bounds: CeilingOctets) {
    this.#bounds = bounds
  }

  open(projectId: string): HeldOctets {
    let own = 0
    return {
      hold: octets => {
        const { each, all } = this.#bounds
        if (this.#heldOf(projectId) + octets > each || this.#heldOctets + octets > all) return false
        this.#add(projectId, octets)
        own += octets
        return true
      },
      release: () => {
        this.#add(projectId, -own)
        own = 0
      },
    }
  }

  #heldOf(projectId: string): number {
    return this.#heldByProject.get(projectId) ?? 0
  }

  #add(projectId: string, octets: number): void {
    this.#heldOctets += octets
    const held = this.#heldOf(projectId) + octets
    if (held > 0) this.#heldByProject.set(projectId, held)
    else this.#heldByProject.delete(projectId)
  }
}
