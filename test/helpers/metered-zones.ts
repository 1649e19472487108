import type { Owner } from '../../src/rating/metering/account.ts'
import type { MeteredZone, MeteredZones } from '../../src/rating/metering/metered-zones.ts'
import { PackedCommit } from '../../src/store/packed-change.ts'
import type { Change, Commit } from '../../src/store/store.ts'
import type { FakeClock } from './clock.ts'

/** Zones and counters as a meter sees them, to be changed by hand. */
export class FakeZones implements MeteredZones {
  readonly #clock: FakeClock
  readonly #zones = new Map<string, MeteredZone>()
  readonly #counts = new Map<string, number>()

  constructor(clock: FakeClock) {
    this.#clock = clock
  }

  find(zoneId: string): MeteredZone | undefined {
    return this.#zones.get(zoneId)
  }

  all(): Iterable<MeteredZone> {
    return this.#zones.values()
  }

  isAbandoned(): boolean {
    return false
  }

  get zoneNumberCount(): number {
    return 10
  }

  findByNumber(zoneNumber: number): string | undefined {
    return [...this.#zones.values()].find(zone => zone.zoneNumber === zoneNumber)?.owner.zoneId
  }

  count(zoneNumber: number, at: number): number {
    return this.#counts.get(`${zoneNumber} ${at}`) ?? 0
  }

  /** As answering threads do. */
  answer(zoneNumber: number, at: number, times: number): void {
    this.#counts.set(`${zoneNumber} ${at}`, this.count(zoneNumber, at) + times)
  }

  /** As a new process, which counts from 0. */
  restart(): void {
    this.#counts.clear()
  }

  /** Creates or changes a zone and returns the commit that contains it. */
  put(zoneId: string, change: Partial<Omit<MeteredZone, 'owner'>> & Partial<Owner> = {}): Commit {
    const before = this.#zones.get(zoneId)
    const { recordsetCount, zoneNumber, createdAt, changedAt, ...owner } = change
    const nowMillis = this.#clock.nowMillis()
    this.#zones.set(zoneId, {
      owner: { ...(before?.owner ?? ownerOf(zoneId)), ...owner },
      recordsetCount: recordsetCount ?? before?.recordsetCount ?? 2,
      zoneNumber: zoneNumber ?? before?.zoneNumber,
      createdAt: createdAt ?? before?.createdAt ?? nowMillis,
      changedAt: changedAt ?? nowMillis,
    })
    return this.#commit(zoneId)
  }

  remove(zoneId: string): Commit {
    this.#zones.delete(zoneId)
    return this.#commit(zoneId)
  }

  #commit(id: string): Commit {
    const change = { collection: 'zones', id, before: undefined, after: undefined } as Change
    const atMicros = this.#clock.nowMillis() * 1000
    return new PackedCommit({ lsn: 1, atMicros, rowChanges: [change], added: [] })
  }
}

/** The owner of a zone called by its id, in project p1. */
export function ownerOf(zoneId: string): Owner {
  return {
    zoneId,
    zoneName: `${zoneId}.example.`,
    zoneType: 'PRIMARY',
    poolId: 'pool',
    projectId: 'p1',
    isSigned: false,
  }
}
