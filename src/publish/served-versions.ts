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

type Reading = {
  readonly zoneId: string
  /** Whose zone it is, and who reads it. */
  readonly parties: readonly string[]
}

type Shared = {
  readonly version: ZoneVersion
  readonly parties: readonly string[]
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
/** Versions that may be read concurrently. Each retains memory that the table could reuse. A project and a client, which may read
 *  many zones slowly, have at most as many as they leave to others, so that a few of them do not fill it. */
const maxVersions = 32

/** Versions of zones as they are served, for slow readers. Readers that ask while a version is being prepared, or before the
 *  zone has changed, share it. */
export class ServedVersions {
  readonly #options: ServedVersionsOptions
  readonly #shared = new Map<number, Shared>()
  readonly #countByParty = new Map<string, number>()
  #versionCount = 0

  constructor(options: ServedVersionsOptions) {
    this.#options = options
  }

  /** Resolves with the zone as it is served at the time of the call, or a little later.
   *  @throws RangeError too many versions are read, of a party or in all; Error the zone is gone. */
  async read(tableZone: TableZone, target: Target, reading: Reading): Promise<ReadVersion> {
    const shared = this.#find(tableZone) ?? this.#begin(tableZone, target, reading)
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

  #begin(tableZone: TableZone, target: Target, { zoneId, parties }: Reading): Shared {
    const leftCount = maxVersions - this.#versionCount
    const hasEnough = parties.some(party => this.#countOf(party) >= leftCount)
    if (hasEnough || leftCount === 0) throw new RangeError('too many zones are sent')
    const version = this.#options.table.openVersion(tableZone, target)
    this.#count(parties, 1)
    const frozen = this.#freeze(version, zoneId)
    const shared: Shared = { version, parties, frozen, userCount: 0 }
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
    this.#count(shared.parties, -1)
    shared.version.close()
  }

  #countOf(party: string): number {
    return this.#countByParty.get(party) ?? 0
  }

  #count(parties: readonly string[], change: number): void {
    this.#versionCount += change
    for (const party of parties) {
      const count = this.#countOf(party) + change
      if (count > 0) this.#countByParty.set(party, count)
      else this.#countByParty.delete(party)
    }
  }
}
