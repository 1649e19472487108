import type { Zone } from '../model/zone.ts'
import { holdsZone } from '../model/zone-state.ts'
import { everything } from '../store/indexes.ts'
import type { Store, Transaction } from '../store/store.ts'
import { TimeSlice } from '../time-slice.ts'
import type { Targets } from './targets.ts'

/** Rows removed in one transaction: few enough for it to take a few milliseconds, many enough for a zone of
 *  100,000 record sets to be gone within seconds. */
export const removalChunkRows = 500

export type ZoneRemovalOptions = { readonly store: Store; readonly targets: Targets }

/** The second half of deleting a zone: once no target serves it, its rows go, a chunk at a time. What a crash
 *  or a silent target interrupts is taken up again by `finishAll`. */
export class ZoneRemoval {
  readonly #store: Store
  readonly #targets: Targets
  readonly #running = new Map<string, Promise<void>>()

  constructor({ store, targets }: ZoneRemovalOptions) {
    this.#store = store
    this.#targets = targets
  }

  /** Removes a zone that is marked for it, or joins its removal if that is under way. Resolves without having
   *  removed it while a target still serves it. */
  remove(zone: Zone): Promise<void> {
    const running = this.#running.get(zone.id)
    if (running !== undefined) return running
    return this.#track(zone, this.#remove(zone))
  }

  /** As `remove`, whether or not a target still serves it. */
  async abandon(zone: Zone): Promise<void> {
    await this.#running.get(zone.id)
    await this.#track(zone, this.#removeRows(zone))
  }

  /** Whether one chunk holds all of the zone, so that its removal is worth waiting for. */
  isShort(zone: Zone): boolean {
    return this.#store.count('recordsets', 'byZone', zone.id) < removalChunkRows
  }

  /** Removes every zone that is marked for it. */
  async finishAll(): Promise<void> {
    for (const zone of [...this.#store.list('zones', 'deleting', everything)]) {
      await this.remove(zone)
    }
  }

  async #remove(zone: Zone): Promise<void> {
    const isServed = this.#targets.reportsOf(zone).some(holdsZone)
    if (!isServed) await this.#removeRows(zone)
  }

  #track(zone: Zone, run: Promise<void>): Promise<void> {
    const removal = run.finally(() => this.#running.delete(zone.id))
    this.#running.set(zone.id, removal)
    return removal
  }

  async #removeRows(zone: Zone): Promise<void> {
    const slice = new TimeSlice()
    while (!(await this.#store.commit(tx => removeChunk(tx, zone)))) {
      if (slice.isSpent) await slice.rest()
    }
  }
}

/** Returns whether the zone itself is gone: with its last chunk. */
function removeChunk(tx: Transaction, zone: Zone): boolean {
  const ids: string[] = []
  for (const { id } of tx.list('recordsets', 'byZone', zone.id)) {
    if (ids.length === removalChunkRows) break
    ids.push(id)
  }
  for (const id of ids) tx.delete('recordsets', id)
  const isLast = ids.length < removalChunkRows
  if (isLast) removeZone(tx, zone)
  return isLast
}

function removeZone(tx: Transaction, zone: Zone): void {
  for (const collection of ['zoneShares', 'zoneTransferRequests', 'zoneTransferAccepts'] as const) {
    for (const { id } of [...tx.list(collection, 'byZone', zone.id)]) tx.delete(collection, id)
  }
  tx.delete('zones', zone.id)
}
