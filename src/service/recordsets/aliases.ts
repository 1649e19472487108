import { actingAs } from '../../actor.ts'
import type { Clock } from '../../clock.ts'
import type { Duty } from '../../cluster/duty.ts'
import { addressTypes, isAliasAddress } from '../../model/alias.ts'
import { defaultTtlSeconds, maxTtlSeconds } from '../../model/limits.ts'
import type { Recordset } from '../../model/recordset.ts'
import { isInUse, isWrittenElsewhere, type Zone } from '../../model/zone.ts'
import { Semaphore } from '../../semaphore.ts'
import { everything } from '../../store/indexes.ts'
import type { Commit, Store, Transaction } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { advanceZone, keepManaged, putManaged } from '../rules/zone-rows.ts'

// Maintains the addresses of ALIAS recordsets: stores the addresses that resolvers return for the target beside it as A
// and AAAA. These are answered, transferred and metered like any other recordset, and change the zone's serial when
// they change.

/** The addresses of one family. */
export type ResolvedAddresses = {
  readonly addresses: readonly string[]
  /** The shortest TTL of the answer; meaningless where there is no address. */
  readonly ttlSeconds: number
}

/** Asks resolvers for the addresses of a name; none where it has none of this family. Rejects where that is not
 *  known. */
export type ResolveAddresses = (name: string, type: AddressType) => Promise<ResolvedAddresses>

export type AliasesOptions = {
  readonly store: Store
  readonly clock: Clock
  readonly duty: Duty
  /** Undefined where no resolver is set. */
  readonly resolve: ResolveAddresses | undefined
  readonly onFailed: (alias: Pick<Recordset, 'name' | 'records'>, error: Error) => void
}

/** An ALIAS that is kept up to date. */
type Alias = {
  readonly id: string
  readonly zoneId: string
  readonly name: string
  /** When to query its target again, in milliseconds. */
  dueAt: number
  /** Why its addresses are unknown or could not be refreshed; undefined while they are current. */
  problem: string | undefined
  isAsked: boolean
  /** Whether the recordset has changed since the query for its target began. */
  isChanged: boolean
}

/** Least and most seconds between two queries for a target. */
const leastSeconds = 30
const mostSeconds = 3600
const retrySeconds = 60
/** A name may have any number of addresses; more than these would not fit into responses anyway. */
const maxAddresses = 20
const noResolver = 'no resolver is set (ZONEWRIGHT_ALIAS_RESOLVERS)'
const system = { road: 'system', job: 'refresh-aliases' } as const

/** Queries each alias separately, a few of one project at a time. */
export class Aliases {
  readonly #options: AliasesOptions
  readonly #aliases = new Map<string, Alias>()
  readonly #running = new Semaphore({ maxRunning: 32, maxRunningPerKey: 4 })
  readonly #tasks = new Set<Promise<void>>()
  /** The search for aliases that no commit has named: those from before this object was created, and those in runs. */
  #found: Promise<void> | undefined
  #isClosed = false

  constructor(options: AliasesOptions) {
    this.#options = options
  }

  /** Applies a commit's changes of aliases; aliases in runs are found by the next `refreshDue`. Call it with each
   *  commit once it is served. */
  commitPublished({ rowChanges, added }: Pick<Commit, 'rowChanges' | 'added'>): void {
    if (!this.#options.duty.isHeld) {
      // They are found again when this node has the duty.
      this.#aliases.clear()
      this.#found = undefined
      return
    }
    for (const change of rowChanges) {
      if (change.collection !== 'recordsets') continue
      if (change.after?.type === 'ALIAS') this.#follow(change.after)
      else if (change.before?.type === 'ALIAS') this.#aliases.delete(change.id)
    }
    if (added.length > 0) this.#found = undefined
  }

  /** Finds the aliases that the store has, in slices. O(aliases). */
  async #findAll(): Promise<void> {
    const slice = new TimeSlice()
    for (const row of this.#options.store.list('recordsets', 'aliases', everything)) {
      if (!this.#aliases.has(row.id)) this.#follow(row)
      if (slice.isSpent) await slice.yield()
    }
  }

  /** Begins to query the targets that are due, and does not wait for the answers: targets that do not answer would delay those
   *  of other projects. */
  async refreshDue(): Promise<void> {
    this.#found ??= this.#findAll()
    await this.#found
    const now = this.#options.clock.nowMillis()
    for (const alias of this.#aliases.values()) void this.#askIfDue(alias, now)
  }

  /** Resolves when no query is under way. */
  async settled(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks)
  }

  /** Why the addresses of an ALIAS are unknown or could not be refreshed; undefined while they are current. */
  problemOf({ id }: Pick<Recordset, 'id'>): string | undefined {
    return this.#aliases.get(id)?.problem
  }

  /** Resolves when nothing is written any more. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#tasks)
  }

  get #isActive(): boolean {
    return !this.#isClosed && this.#options.duty.isHeld
  }

  #follow({ id, zoneId, name }: Recordset): void {
    const zone = this.#options.store.get('zones', zoneId)
    // The writer of the zone writes the addresses as well.
    if (zone !== undefined && isWrittenElsewhere(zone)) return
    const alias = this.#aliases.get(id) ?? {
      id,
      zoneId,
      name,
      dueAt: 0,
      problem: undefined,
      isAsked: false,
      isChanged: false,
    }
    this.#aliases.set(id, alias)
    alias.dueAt = 0
    alias.isChanged = alias.isAsked
    void this.#askIfDue(alias, this.#options.clock.nowMillis())
  }

  #askIfDue(alias: Alias, now: number): Promise<void> | undefined {
    if (alias.isAsked || alias.dueAt > now || !this.#isActive) return undefined
    const zone = this.#options.store.get('zones', alias.zoneId)
    alias.isAsked = true
    const task = this.#running
      .run(zone?.projectId, () => actingAs(system, () => this.#refresh(alias)))
      .catch(error => this.#failed(alias, error))
      .finally(() => {
        this.#tasks.delete(task)
        alias.isAsked = false
        if (alias.isChanged) this.#askAgain(alias)
      })
    this.#tasks.add(task)
    return task
  }

  #askAgain(alias: Alias): void {
    alias.isChanged = false
    alias.dueAt = 0
    void this.#askIfDue(alias, this.#options.clock.nowMillis())
  }

  async #refresh(alias: Alias): Promise<void> {
    const { store, clock, resolve } = this.#options
    if (!this.#isActive) return
    const row = store.get('recordsets', alias.id)
    if (row === undefined) return
    if (resolve === undefined) {
      alias.dueAt = Number.POSITIVE_INFINITY
      alias.problem = noResolver
      return
    }
    const [target = ''] = row.records
    // Some servers answer for one family and fail for the other, which must not hold up the one that is known.
    const answers = await Promise.all(
      addressTypes.map(
        (type): Promise<Found | Unknown> =>
          resolve(target, type).then(
            found => ({ type, ...found }),
            error => ({ error }),
          ),
      ),
    )
    const unknown = answers.find(answer => 'error' in answer)
    const known = answers.filter(answer => 'addresses' in answer)
    const some = known.filter(({ addresses }) => addresses.length > 0)
    if (some.length === 0) throw unknown?.error ?? new Error(`${target} has no address`)
    const shortest = Math.min(...some.map(({ ttlSeconds }) => ttlSeconds))
    const seconds = Math.min(mostSeconds, Math.max(leastSeconds, shortest + 1))
    alias.dueAt = clock.nowMillis() + 1000 * seconds
    if (unknown !== undefined) this.#failed(alias, unknown.error)
    else alias.problem = undefined
    await store.commit(tx => putAddresses(tx, alias, known))
  }

  /** The last known addresses are answered until there are new ones. */
  #failed(alias: Alias, error: Error): void {
    const { store, clock, onFailed } = this.#options
    alias.dueAt = clock.nowMillis() + 1000 * retrySeconds
    const isNews = alias.problem === undefined
    alias.problem = error.message
    const row = store.get('recordsets', alias.id)
    if (isNews && row !== undefined) onFailed(row, error)
  }
}

type AddressType = (typeof addressTypes)[number]
type Found = ResolvedAddresses & { readonly type: AddressType }
type Unknown = { readonly error: Error }

/** Replaces the addresses beside an alias by those of each family that was found. Writes nothing where they are the same, or the
 *  alias is gone. */
function putAddresses(
  tx: Transaction,
  alias: Pick<Alias, 'id' | 'zoneId' | 'name'>,
  found: readonly Found[],
): void {
  const zone = tx.get('zones', alias.zoneId)
  const row = tx.get('recordsets', alias.id)
  if (zone === undefined || !isInUse(zone) || isWrittenElsewhere(zone) || row === undefined) return
  const changed = addressTypes.filter(type => {
    const existing = findRecordsetOf(tx, zone, { name: alias.name, type })
    if (existing !== undefined && !isAliasAddress(existing)) return false
    const its = found.find(one => one.type === type)
    if (its === undefined) return false
    return its.addresses.length === 0
      ? keepManaged(tx, zone, { name: alias.name, type, records: [] })
      : put(tx, { zone, alias: row, existing, found: its })
  })
  if (changed.length > 0) advanceZone(tx, zone)
}

type Putting = {
  readonly zone: Zone
  readonly alias: Recordset
  readonly existing: Recordset | undefined
  readonly found: Found
}

function put(tx: Transaction, { zone, alias, existing, found }: Putting): boolean {
  const records = [...new Set(found.addresses)].sort().slice(0, maxAddresses)
  const own = alias.ttlSeconds ?? zone.ttlSeconds ?? defaultTtlSeconds
  const ttlSeconds = Math.min(own, found.ttlSeconds, maxTtlSeconds)
  const isSame =
    existing?.records.join() === records.join() && isSameTtl(existing.ttlSeconds ?? own, ttlSeconds)
  if (!isSame) putManaged(tx, zone, { name: alias.name, type: found.type, ttlSeconds, records })
  return !isSame
}

/** A resolver answers from its cache with the rest of a TTL, so a TTL that is a little lower counts as the same. */
function isSameTtl(before: number, now: number): boolean {
  return now <= before && now > before / 2
}
