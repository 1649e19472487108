import { actingAs } from '../../actor.ts'
import { isUnfollowed } from '../../dnssec/presence.ts'
import { isDsLeaving, nextDueAt } from '../../dnssec/rolls.ts'
import { wantsDs } from '../../dnssec/views.ts'
import type { DnssecKey } from '../../model/dnssec-key.ts'
import { isInUse, type Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { findHostedParent } from '../rules/hosted-parent.ts'
import { dsTextsOf, getPolicy, keysOf } from './key-rows.ts'
import {
  type KeyStepParts,
  noteParent,
  noteServedKeys,
  noteSigned,
  plannedKeys,
  stepKeys,
} from './key-steps.ts'
import type { ParentChecks } from './parent-check.ts'
import { isBootstrapping, keepSignals, type ParentRecords } from './signalling-names.ts'

type KeyRollsOptions = KeyStepParts & {
  readonly store: Store
  readonly parents: ParentChecks
  readonly nowMicros: () => number
  /** Whether a zone is answered with the DNSKEY that its keys call for. */
  readonly servesKeys: (zone: Zone) => boolean
  /** Signs again what is not signed as a zone's keys require; resolves with its longest TTL once all of it is. */
  readonly resign: (zone: Zone) => Promise<number | undefined>
  /** Called when background work fails; it is retried later. */
  readonly onFailed: (zoneId: string, error: unknown) => void
}

const system = { road: 'system', job: 'roll-keys' } as const
/** How often the parent is asked while something is waited for there. */
const checkMicros = 15 * 60 * 1_000_000
/** The longest that a zone is skipped; lifetimes of keys and policies are checked then. */
const restMicros = 3600 * 1_000_000

/** Takes the steps of all keys when they are due. */
export class KeyRolls {
  readonly #options: KeyRollsOptions
  /** By zone, until when nothing can be due, as long as its row has this version. */
  readonly #resting = new Map<string, { readonly version: number; readonly until: number }>()

  constructor(options: KeyRollsOptions) {
    this.#options = options
  }

  /** Takes all due steps, then asks the parents that zones wait for: concurrently, so that one that does not answer holds up
   *  no other, and for each project as many as a run has room for. */
  async stepDue(): Promise<void> {
    const { store, nowMicros, onFailed } = this.#options
    const slice = new TimeSlice()
    const waiting: Found[] = []
    for (const { id, version } of [...store.list('zones', 'signed', everything)]) {
      const resting = this.#resting.get(id)
      if (resting?.version === version && resting.until > nowMicros()) continue
      const found = await this.#acting(() => this.#stepHere(id)).catch(error => {
        onFailed(id, error)
        return this.#find(id)
      })
      if (found?.keys.some(waitsForParent) && !findHostedParent(store, found.zone))
        waiting.push(found)
      if (slice.isSpent) await slice.yield()
    }
    const bootstrapping = waiting.filter(({ keys }) => isBootstrapping(keys))
    const recordsOf = (found: Found) => this.#parentRecordsOf(found)
    await keepSignals(store, bootstrapping, recordsOf).catch(error => onFailed('', error))
    const due = waiting.flatMap(({ zone }) => (this.#isTimeToAsk(zone) ? zone : []))
    const asked = this.#options.parents.turnsOf(due).map(async ({ id }) => {
      await this.#acting(() => this.#stepByParent(id)).catch(error => onFailed(id, error))
    })
    await Promise.all(asked)
  }

  /** Takes the due steps of a zone, and asks its parent in any case. */
  step(zoneId: string): Promise<void> {
    return this.#acting(async () => {
      await this.#stepHere(zoneId)
      await this.#stepByParent(zoneId)
    })
  }

  #acting<T>(run: () => Promise<T>): Promise<T> {
    return actingAs(system, run)
  }

  /** Stops skipping a zone. */
  wake(zoneId: string): void {
    this.#resting.delete(zoneId)
  }

  /** Notes which changes of a zone are in its answers: a zone that is being signed as a whole is answered as it was before. */
  async #noteServed(zoneId: string): Promise<void> {
    const { store, servesKeys, resign } = this.#options
    const found = this.#find(zoneId)
    if (found === undefined) return
    const awaits = (record: 'dnskey' | 'zoneSignatures') =>
      found.keys.some(key => isUnfollowed(key[record]))
    const hasKeysServed = awaits('dnskey') && servesKeys(found.zone)
    const longestTtlSeconds = awaits('zoneSignatures') ? await resign(found.zone) : undefined
    if (!hasKeysServed && longestTtlSeconds === undefined) return
    await store.commit(tx => {
      const zone = tx.get('zones', zoneId)
      // It may have other keys by now.
      if (!zone?.dnssec?.signedAt || !hasKeys(tx, zoneId, found.keys)) return
      if (hasKeysServed) noteServedKeys(tx, zone)
      if (longestTtlSeconds !== undefined) noteSigned(tx, zone, longestTtlSeconds)
    })
  }

  #isTimeToAsk({ id }: Zone): boolean {
    const { parents, nowMicros } = this.#options
    return nowMicros() - (parents.get(id)?.checkedAt ?? 0) >= checkMicros
  }

  /** The CDS and CDNSKEY that a zone publishes. */
  #parentRecordsOf({ zone, keys }: Found): ParentRecords {
    const { store, keyOf } = this.#options
    const wanted = keys.filter(wantsDs).map(keyOf)
    const policy = getPolicy(store, zone.dnssec?.policy ?? 'default')
    return { CDS: dsTextsOf(zone, wanted, policy), CDNSKEY: wanted.map(key => key.dnskeyText()) }
  }

  /** Returns the zone after its steps. */
  async #stepHere(zoneId: string): Promise<Found | undefined> {
    await this.#noteServed(zoneId)
    return this.#makeSteps(zoneId)
  }

  async #stepByParent(zoneId: string): Promise<void> {
    const { store, parents } = this.#options
    const found = this.#find(zoneId)
    if (found === undefined) return
    const news = await parents.check(found.zone, found.keys)
    if (news.keyIds.length + news.returnedIds.length === 0) return
    await store.commit(tx => {
      const zone = tx.get('zones', zoneId)
      if (zone !== undefined && hasKeys(tx, zoneId, found.keys)) {
        noteParent(tx, zone, news)
      }
    })
    await this.#makeSteps(zoneId)
  }

  async #makeSteps(zoneId: string): Promise<Found | undefined> {
    const { store, nowMicros } = this.#options
    const found = this.#find(zoneId)
    if (found === undefined) return undefined
    if (found.isDue) {
      await store.commit(tx => {
        const zone = tx.get('zones', zoneId)
        if (zone?.dnssec?.signedAt && isInUse(zone)) stepKeys(tx, zone, this.#options)
      })
    }
    const after = this.#find(zoneId)
    if (after === undefined) this.#resting.delete(zoneId)
    else {
      const { keys, zone } = after
      const isWaiting = keys.some(
        key => isUnfollowed(key.dnskey) || isUnfollowed(key.zoneSignatures) || waitsForParent(key),
      )
      const until =
        isWaiting || after.isDue
          ? 0
          : Math.min(nextDueAt(keys) ?? Infinity, nowMicros() + restMicros)
      this.#resting.set(zoneId, { version: zone.version, until })
    }
    return after
  }

  #find(zoneId: string): Found | undefined {
    const { store, nowMicros } = this.#options
    const zone = store.get('zones', zoneId)
    // The keys of an abandoned zone stay as they are: in every state of a roll all caches validate.
    if (!zone?.dnssec?.signedAt || !isInUse(zone)) return undefined
    return { zone, ...plannedKeys(store, zone, nowMicros()) }
  }
}

type Found = ReturnType<typeof plannedKeys> & { readonly zone: Zone }

/** Whether the keys of a zone are still these. */
function hasKeys(reader: StoreReader, zoneId: string, keys: readonly DnssecKey[]): boolean {
  const idsOf = (these: readonly DnssecKey[]) => these.map(({ id, version }) => `${id} ${version}`)
  return idsOf(keysOf(reader, zoneId)).join() === idsOf(keys).join()
}

function waitsForParent(key: DnssecKey): boolean {
  return isDsLeaving(key) || isUnfollowed(key.ds)
}
