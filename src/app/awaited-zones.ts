import { lowerCaseName, parseName } from '../dns/name.ts'
import type { Zone } from '../model/zone.ts'
import { isAwaited } from '../model/zone.ts'
import { AwaitedZonesWriter } from '../nameserver/awaited-zones.ts'
import type { Commit, Store } from '../store/store.ts'

/** Keeps the names of zones without a copy in memory that all answering threads share. */
export class AwaitedZoneNames {
  readonly #writer = new AwaitedZonesWriter()

  /** The memory that threads open as `AwaitedZones`. */
  get memory(): SharedArrayBuffer {
    return this.#writer.memory
  }

  /** To be called once, before any commit. */
  load(store: Pick<Store, 'rows'>): void {
    for (const zone of store.rows('zones')) this.#change(undefined, zone)
  }

  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    for (const change of rowChanges) {
      if (change.collection === 'zones') this.#change(change.before, change.after)
    }
  }

  #change(before: Zone | undefined, after: Zone | undefined): void {
    const wasAwaited = before !== undefined && isAwaited(before)
    const isNowAwaited = after !== undefined && isAwaited(after)
    if (wasAwaited === isNowAwaited) return
    if (isNowAwaited) this.#writer.add(nameOf(after))
    else if (before !== undefined) this.#writer.remove(nameOf(before))
  }
}

function nameOf(zone: Zone) {
  return lowerCaseName(parseName(zone.name))
}
