import type { Zone } from '../../model/zone.ts'
import { holdsZone } from '../../model/zone-state.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { keepLastSerial } from '../rules/last-serials.ts'
import type { Targets } from '../rules/targets.ts'
import { forgetExpiring } from '../rules/zone-rows.ts'

/** Rows removed by one commit, all at once: few enough not to hold up others. */
const chunkRows = 100
/** Chunks committed at the same time: they share a write to the disk. */
const maxChunksAtOnce = 5
/** Rows removed with one write to the disk, and so worth waiting for. */
export const shortRemovalRows = chunkRows * maxChunksAtOnce

type ZoneRemovalOptions = { readonly store: Store; readonly targets: Targets }

/** The second half of deleting a zone: removes its rows, a chunk at a time, once no target serves it. `finishAll`
 *  resumes removals that a crash or a silent target has interrupted. */
export class ZoneRemoval {
  readonly #store: Store
  readonly #targets: Targets
  readonly #running = new Map<string, Promise<void>>()

  constructor({ store, targets }: ZoneRemovalOptions) {
    this.#store = store
    this.#targets = targets
  }

  /** Removes a zone that is marked for removal, or joins its removal under way. Resolves without removing it while a
   *  target still serves it. */
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

  /** Whether the removal of the zone is worth waiting for. */
  isShort(zone: Zone): boolean {
    return this.#store.count('recordsets', 'byZone', zone.id) < shortRemovalRows
  }

  /** Removes every zone that is marked for removal. */
  async finishAll(): Promise<void> {
    for (const zone of [...this.#store.list('zones', 'deleting', everything)]) {
      await this.remove(zone)
    }
  }

  async #remove(zone: Zone): Promise<void> {
    // What targets serve under the name of an abandoned zone belongs to another zone.
    const isServed = !zone.isAbandoned && this.#targets.reportsOf(zone).some(holdsZone)
    if (!isServed) await this.#removeRows(zone)
  }

  #track(zone: Zone, run: Promise<void>): Promise<void> {
    const removal = run.finally(() => this.#running.delete(zone.id))
    this.#running.set(zone.id, removal)
    return removal
  }

  async #removeRows(zone: Zone): Promise<void> {
    const slice = new TimeSlice()
    while (!(await this.#removeChunks(zone))) {
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Returns whether the zone itself is gone. */
  async #removeChunks(zone: Zone): Promise<boolean> {
    const rowCount = this.#store.count('recordsets', 'byZone', zone.id)
    const chunkCount = Math.min(Math.floor(rowCount / chunkRows) + 1, maxChunksAtOnce)
    const remove = () => this.#store.commit(tx => removeChunk(tx, zone))
    const outcomes = await Promise.all(Array.from({ length: chunkCount }, remove))
    return outcomes.includes(true)
  }
}

/** Returns whether the zone itself is gone, as it is after the last chunk. */
function removeChunk(tx: Transaction, zone: Zone): boolean {
  const ids: string[] = []
  for (const { id } of tx.list('recordsets', 'byZone', zone.id)) {
    if (ids.length === chunkRows) break
    ids.push(id)
  }
  for (const id of ids) tx.delete('recordsets', id)
  const isLast = ids.length < chunkRows
  if (isLast) removeZone(tx, zone)
  return isLast
}

function removeZone(tx: Transaction, zone: Zone): void {
  deleteBelongings(tx, zone)
  for (const { id } of [...tx.list('dnssecKeys', 'byZone', zone.id)]) tx.delete('dnssecKeys', id)
  forgetExpiring(tx, zone.id)
  keepLastSerial(tx, zone)
  tx.delete('zones', zone.id)
}

/** Deletes the shares of a zone and the requests and acceptances of its transfers between projects. */
export function deleteBelongings(tx: Transaction, zone: Zone): void {
  for (const collection of ['zoneShares', 'zoneTransferRequests', 'zoneTransferAccepts'] as const) {
    for (const { id } of [...tx.list(collection, 'byZone', zone.id)]) tx.delete(collection, id)
  }
}
