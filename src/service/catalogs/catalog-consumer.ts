import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../../errors.ts'
import { type Caller, ownCaller } from '../../identity/caller.ts'
import {
  type CatalogMember,
  CatalogReader,
  catalogGroupAttribute,
  catalogRoleOf,
  memberRecordsets,
} from '../../model/catalog.ts'
import { defaultPoolId } from '../../model/pool.ts'
import { dueAtOnce } from '../../model/refresh.ts'
import { changedRow } from '../../model/stamped.ts'
import { transferKeyAttribute } from '../../model/transfer-peers.ts'
import { isComplete, isInUse, type Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Commit, Store, StoreReader } from '../../store/store.ts'
import { inTurns } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { findInPool } from '../rules/zone-tree.ts'
import type { Zones } from '../zones/zones.ts'

// A consumed catalog (RFC 9432 section 5) is a SECONDARY zone whose copy lists zones. The server creates these as SECONDARY
// zones of the catalog's project, with its masters and key and within its quotas, and deletes them once they are no longer
// listed. What fails is retried, and shown as the catalog's `status_reason`.

type CatalogConsumerOptions = {
  readonly store: Store
  readonly zones: Pick<Zones, 'createIn' | 'delete'>
  readonly onTransferWanted: (zone: Zone) => void
  readonly onEvent: (event: CatalogEvent) => void
}

/** What a watcher of catalogs should know. */
export type CatalogEvent =
  | {
      readonly kind: 'applied'
      readonly catalog: string
      readonly created: number
      readonly deleted: number
    }
  /** The catalog cannot be applied, or one of its zones cannot be created or deleted. */
  | {
      readonly kind: 'refused'
      readonly catalog: string
      readonly zone?: string
      readonly reason: string
    }
  /** An error of this server. */
  | { readonly kind: 'broken'; readonly catalog: string; readonly error: unknown }

/** Creates and deletes zones as catalogs list them. */
export class CatalogConsumer {
  readonly #options: CatalogConsumerOptions
  /** Catalogs that have changed since they were last applied. */
  readonly #stale = new Set<string>()
  /** Catalogs that could not be applied completely. */
  readonly #unfinished = new Set<string>()
  /** The problems of each when it was last applied, which are no news the next time. */
  readonly #problemsOf = new Map<string, ReadonlySet<string>>()
  #run: Promise<void> | undefined
  #isClosed = false

  constructor(options: CatalogConsumerOptions) {
    this.#options = options
  }

  /** Applies all catalogs. To be called once. */
  start(): void {
    for (const { id } of this.#options.store.list('zones', 'catalogs', everything)) this.#apply(id)
  }

  /** Applies a catalog whose copy, masters or attributes have changed. */
  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    for (const change of rowChanges) {
      if (change.collection !== 'zones' || change.after === undefined) continue
      const { before, after } = change
      if (catalogRoleOf(after) !== 'consumer' || !isInUse(after)) continue
      if (before === undefined || stateOf(before) !== stateOf(after)) this.#apply(after.id)
    }
  }

  /** Retries what failed. */
  recheck(): void {
    for (const id of this.#unfinished) this.#apply(id)
  }

  /** Resolves when all known changes are applied. */
  async idle(): Promise<void> {
    while (this.#run !== undefined) await this.#run
  }

  /** Resolves once no more writes happen. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.idle()
  }

  #apply(catalogId: string): void {
    this.#stale.add(catalogId)
    this.#run ??= Promise.resolve().then(() => this.#applyStale())
  }

  async #applyStale(): Promise<void> {
    try {
      for (const id of this.#stale) {
        this.#stale.delete(id)
        this.#unfinished.delete(id)
        const catalog = this.#options.store.get('zones', id)
        if (this.#isClosed || catalog === undefined || !isConsumed(catalog)) continue
        try {
          if (!(await this.#applyOne(catalog))) this.#unfinished.add(id)
        } catch (error) {
          this.#unfinished.add(id)
          this.#options.onEvent({ kind: 'broken', catalog: catalog.name, error })
        }
      }
    } finally {
      // Cleared synchronously with the last check for work: anything noted after that starts a new run.
      this.#run = undefined
    }
  }

  /** Returns whether it was applied completely. */
  async #applyOne(catalog: Zone): Promise<boolean> {
    const contents = await readCatalog(this.#options.store, catalog)
    if (contents.kind === 'broken') {
      this.#refuse(catalog, contents.reason)
      await this.#noteProblem(catalog, contents.reason)
      return true
    }
    const problems = new Set<string>()
    const known = this.#problemsOf.get(catalog.id)
    const wanted = new Map(contents.members.map(member => [member.name.toLowerCase(), member]))
    const stored = [...this.#options.store.list('zones', 'byCatalog', catalog.id)]
    let created = 0
    let deleted = 0
    const attempt = async (name: string, work: () => Promise<void>): Promise<boolean> => {
      try {
        await work()
        return true
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        const problem = `${name}: ${error.message}`
        if (!known?.has(problem)) this.#refuse(catalog, error.message, name)
        problems.add(problem)
        return false
      }
    }
    for (const zone of stored) {
      if (this.#isClosed) return true
      const member = wanted.get(zone.name.toLowerCase())
      if (member?.label === zone.member?.label) continue
      // A new label under the same name resets the zone (RFC 9432 section 5.4).
      if (await attempt(zone.name, () => this.#delete(zone))) deleted += 1
    }
    let isShared = false
    for (const member of wanted.values()) {
      if (this.#isClosed) return true
      await attempt(member.name, async () => {
        const kept = await this.#keep(catalog, member)
        created += Number(kept === 'new')
        isShared ||= kept === 'elsewhere'
      })
    }
    if (created + deleted > 0)
      this.#options.onEvent({ kind: 'applied', catalog: catalog.name, created, deleted })
    if (problems.size > 0) this.#problemsOf.set(catalog.id, problems)
    else this.#problemsOf.delete(catalog.id)
    await this.#noteProblem(catalog, problemOf([...problems]))
    // The other catalog may drop its zones.
    return problems.size === 0 && !isShared
  }

  /** Such a write does not change the zone for its users, so `updatedAt` stays. */
  async #noteProblem({ id, catalogProblem }: Zone, problem: string | undefined): Promise<void> {
    if (catalogProblem === problem || this.#isClosed) return
    await this.#options.store.commit(tx => {
      const row = tx.get('zones', id)
      if (row === undefined) return
      const { catalogProblem: _, ...zone } = row
      const noted = problem === undefined ? {} : { catalogProblem: problem }
      tx.put('zones', { ...zone, ...noted, version: zone.version + 1 })
    })
  }

  async #delete(zone: Zone): Promise<void> {
    await this.#options.zones.delete(callerOf(zone), zone.id)
  }

  /** Creates a member, or brings it in step with its catalog. Returns whether the catalog has it now and did not have it before,
   *  or has left it to another catalog. */
  async #keep(catalog: Zone, member: CatalogMember): Promise<'new' | 'known' | 'elsewhere'> {
    const { store, zones, onTransferWanted } = this.#options
    const known = findInPool(store, catalog.poolId, member.name)
    if (known?.member !== undefined && known.member.catalogId !== catalog.id) {
      // The catalog that it has left lists it until its operator removes it there.
      if (isSameName(catalogOf(store, known)?.name, member.coo)) return 'elsewhere'
      if (!isHandedOver(store, known, catalog)) throw inAnotherCatalog(known)
      // RFC 9432 section 4.4.1: its state is kept if its label is the same.
      if (known.member.label !== member.label) await this.#delete(known)
    }
    const result = await store.commit(tx => {
      const before = findInPool(tx, catalog.poolId, member.name)
      const fields = memberFields(catalog, member)
      if (before === undefined) {
        const draft = { name: member.name, type: 'SECONDARY' as const, masters: catalog.masters }
        const empty = { email: null, ttlSeconds: null, description: null }
        const pool = catalog.poolId === defaultPoolId ? {} : { pool_id: catalog.poolId }
        const attributes = { ...fields.attributes, ...pool }
        const made = zones.createIn(tx, callerOf(catalog), { ...draft, ...empty, attributes })
        const zone = tx.put('zones', { ...made, ...fields, attributes })
        return { zone, isDue: true, isNew: true }
      }
      if (before.member === undefined || before.isDeleting) throw inAnotherCatalog(before)
      const {
        [transferKeyAttribute]: _key,
        [catalogGroupAttribute]: _group,
        ...own
      } = before.attributes
      const attributes = { ...own, ...fields.attributes }
      const after = { ...before, ...fields, attributes }
      if (isDeepStrictEqual(after, before)) return undefined
      const isDue = after.masters.join() !== before.masters.join()
      const transfer = isDue ? { transfer: dueAtOnce(before.transfer, tx.atMicros) } : {}
      const zone = tx.put('zones', changedRow(tx, before, { ...fields, attributes, ...transfer }))
      return { zone, isDue, isNew: before.member.catalogId !== catalog.id }
    })
    if (result?.isDue) onTransferWanted(result.zone)
    return result?.isNew ? 'new' : 'known'
  }

  #refuse(catalog: Zone, reason: string, zone?: string): void {
    const of = { catalog: catalog.name, ...(zone !== undefined && { zone }) }
    this.#options.onEvent({ kind: 'refused', ...of, reason })
  }
}

/** Problems listed by name. */
const maxNamedProblems = 3

function problemOf(problems: readonly string[]): string | undefined {
  if (problems.length === 0) return undefined
  const named = problems.slice(0, maxNamedProblems)
  const more = problems.length - named.length
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** The parts of a catalog's row that its members depend on. */
function stateOf({ serial, transferredAt, transfer, masters, attributes }: Zone): string {
  return JSON.stringify([serial, transferredAt, transfer?.isReplacing, masters, attributes])
}

/** An expired copy still counts. */
function isConsumed(zone: Zone): boolean {
  return catalogRoleOf(zone) === 'consumer' && isInUse(zone) && isComplete(zone)
}

async function readCatalog(store: Store, catalog: Zone) {
  const reader = new CatalogReader(catalog.name)
  const pages = rowPages(store, 'recordsets', { index: 'byZone', key: catalog.id })
  for await (const rows of inTurns(pages)) for (const row of rows) reader.add(row)
  return reader.read()
}

/** The fields that a member takes from its catalog. */
function memberFields(catalog: Zone, { label, group }: CatalogMember) {
  const key = catalog.attributes[transferKeyAttribute]
  return {
    masters: catalog.masters,
    hasTrustedMasters: catalog.hasTrustedMasters === true,
    member: { catalogId: catalog.id, label },
    attributes: {
      ...(key !== undefined && { [transferKeyAttribute]: key }),
      ...(group !== undefined && { [catalogGroupAttribute]: group }),
    },
  }
}

/** Whether a zone's present catalog hands it over to this one, and both are of the same project. */
function isHandedOver(reader: StoreReader, zone: Zone, to: Zone): boolean {
  const { member, projectId } = zone
  const from = catalogOf(reader, zone)
  if (from === undefined || member === undefined || projectId !== to.projectId) return false
  const [, , coo] = memberRecordsets(from.name, member.label, undefined)
  const [owner] = (coo && findRecordsetOf(reader, from, coo)?.records) ?? []
  return isSameName(to.name, owner)
}

function catalogOf(reader: StoreReader, { member }: Zone): Zone | undefined {
  return member && reader.get('zones', member.catalogId)
}

function isSameName(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one.toLowerCase() === other?.toLowerCase()
}

function inAnotherCatalog({ name }: Zone): ApiError {
  return new ApiError('duplicate_zone', `${name} exists and is not of this catalog`)
}

/** A catalog acts for its project. It may give its zones its own pool and masters, and they go when it no longer lists them, whatever
 *  is below them; all other rules apply to it. */
function callerOf({ projectId }: Zone): Caller {
  return {
    ...ownCaller('catalog', projectId, ['admin', 'member', 'reader']),
    wantsDeleteShares: true,
    mayLeaveSubzones: true,
    isBoundByBlacklists: true,
  }
}
