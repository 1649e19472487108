import { TimeSlice } from '../time-slice.ts'
import type { Target } from '../zone/table/readers.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { ZoneTable } from '../zone/table/zone-table.ts'
import type { FrozenZone, ZoneVersion } from '../zone/table/zone-version.ts'

/** A version that is being read. */
type ReadVersion = {
  readonly zone: FrozenZone
  /** Ends the reading. Idempotent. */
  release(): void
}

type Shared = {
  readonly version: ZoneVersion
  readonly frozen: Promise<FrozenZone>
  userCount: number
}

type ServedVersionsOptions = {
  readonly table: ZoneTable
  /** Whether a change of the zone is only partly served so far. */
  readonly isPublishing: (apex: string) => boolean
}

/** Names processed between two checks of the clock. */
const stepNames = 256
/** Versions that may be read concurrently. Each retains memory that the table could reuse. */
const maxVersions = 32

/** Versions of zones as they are served, for slow readers. Readers that ask while a version is being prepared, or before the
 *  zone has changed, share it. */
export class ServedVersions {
  readonly #options: ServedVersionsOptions
  readonly #shared = new Map<number, Shared>()
  #versionCount = 0

  constructor(options: ServedVersionsOptions) {
    this.#options = options
  }

  /** Resolves with the zone as it is served at the time of the call, or a little later.
   *  @throws RangeError too many versions are read; Error the zone is gone. */
  async read(tableZone: TableZone, target: Target, zoneId: string): Promise<ReadVersion> {
    const shared = this.#find(tableZone) ?? this.#begin(tableZone, target, zoneId)
    shared.userCount += 1
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      shared.userCount -= 1
      if (shared.userCount === 0) this.#close(tableZone.ref, shared)
    }
    try {
      return { zone: await shared.frozen, release }
    } catch (error) {
      release()
      throw error
    }
  }

  #find({ ref }: TableZone): Shared | undefined {
    const shared = this.#shared.get(ref)
    return shared?.version.isStale === false ? shared : undefined
  }

  #begin(tableZone: TableZone, target: Target, zoneId: string): Shared {
    if (this.#versionCount === maxVersions) throw new RangeError('too many zones are sent')
    const version = this.#options.table.openVersion(tableZone, target)
    this.#versionCount += 1
    const shared: Shared = { version, frozen: this.#freeze(version, zoneId), userCount: 0 }
    this.#shared.set(tableZone.ref, shared)
    return shared
  }

  async #freeze(version: ZoneVersion, zoneId: string): Promise<FrozenZone> {
    const slice = new TimeSlice()
    // No reader may see half of a change; the SOA comes last.
    while (version.step(stepNames) || this.#options.isPublishing(zoneId)) {
      if (slice.isSpent || !version.hasMore) await slice.yield()
    }
    return version.finish()
  }

  #close(ref: number, shared: Shared): void {
    if (this.#shared.get(ref) === shared) this.#shared.delete(ref)
    this.#versionCount -= 1
    shared.version.close()
  }
}
