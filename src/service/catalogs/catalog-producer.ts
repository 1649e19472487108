import { setTimeout as delay } from 'node:timers/promises'
import {
  type CatalogMember,
  catalogGroupAttribute,
  catalogOwnerAttribute,
  catalogRoleOf,
  labelIn,
  memberRecordsets,
  versionRecordset,
} from '../../model/catalog.ts'
import { isComplete, isInUse, type Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Commit, Store, Transaction } from '../../store/store.ts'
import { inTurns } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import { advanceZone, keepManaged } from '../rules/zone-rows.ts'

// The catalog of a pool (RFC 9432): a PRIMARY zone whose content the server writes. It is a zone like any other, with AXFR,
// IXFR, NOTIFY and history. Changes of the pool's zones are collected for a moment and make one commit and one serial of
// the catalog.

type CatalogProducerOptions = {
  readonly store: Store
  /** Called with an error of this server; the catalog is compared as a whole next time. */
  readonly onBroken: (catalog: Zone, error: unknown) => void
  /** Waits, or rejects when `signal` says so. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

const collectMs = 100
/** Members of one commit. */
const batchMembers = 200

/** The pending writes of one catalog. */
type Work = {
  readonly labels: Set<string>
  /** Whether the whole catalog has to be compared. */
  isWhole: boolean
  run: Promise<void> | undefined
}

/** Keeps the catalogs in step with the zones of their pools. */
export class CatalogProducer {
  readonly #options: CatalogProducerOptions
  readonly #pause: NonNullable<CatalogProducerOptions['pause']>
  /** By the id of the catalog. */
  readonly #works = new Map<string, Work>()
  /** By pool, where it has one. */
  readonly #catalogByPool = new Map<string, string>()
  readonly #stop = new AbortController()

  constructor(options: CatalogProducerOptions) {
    this.#options = options
    this.#pause = options.pause ?? ((ms, signal) => delay(ms, undefined, { signal }))
  }

  /** Brings all catalogs into step. To be called once. */
  start(): void {
    for (const zone of this.#options.store.list('zones', 'catalogs', everything)) this.#note(zone)
  }

  commitPublished({ rowChanges }: Pick<Commit, 'rowChanges'>): void {
    for (const change of rowChanges) {
      if (change.collection !== 'zones') continue
      const { before, after } = change
      const isCatalog = [before, after].some(zone => zone && catalogRoleOf(zone) === 'producer')
      if (isCatalog) this.#catalogChanged(before, after)
      else if (this.#catalogByPool.size > 0) this.#zoneChanged(before, after)
    }
  }

  /** Resolves when every catalog is in step. */
  async idle(): Promise<void> {
    for (;;) {
      const runs = [...this.#works.values()].flatMap(({ run }) => run ?? [])
      if (runs.length === 0) return
      await Promise.all(runs)
    }
  }

  /** Resolves once no more writes happen. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.idle()
  }

  #catalogChanged(before: Zone | undefined, after: Zone | undefined): void {
    const isNew = before?.poolId !== after?.poolId
    if (before !== undefined && (isNew || after === undefined || !isInUse(after))) {
      if (this.#catalogByPool.get(before.poolId) === before.id)
        this.#catalogByPool.delete(before.poolId)
    }
    if (after !== undefined && isNew) this.#note(after)
  }

  #note(catalog: Zone): void {
    if (catalogRoleOf(catalog) !== 'producer' || !isInUse(catalog)) return
    this.#catalogByPool.set(catalog.poolId, catalog.id)
    this.#request(catalog.id, 'whole')
  }

  #zoneChanged(before: Zone | undefined, after: Zone | undefined): void {
    for (const poolId of new Set([before?.poolId, after?.poolId])) {
      const catalogId = poolId === undefined ? undefined : this.#catalogByPool.get(poolId)
      const id = after?.id ?? before?.id
      if (catalogId === undefined || poolId === undefined || id === undefined) continue
      const [then, now] = [before, after].map(zone => JSON.stringify(memberOf(zone, poolId)))
      if (then === now) continue
      this.#request(catalogId, { label: labelOf(id) })
    }
  }

  /** Begins to write a member or the whole of a catalog, or leaves that to the run under way. */
  #request(catalogId: string, part: 'whole' | { readonly label: string }): void {
    const work = this.#works.get(catalogId) ?? { labels: new Set(), isWhole: false, run: undefined }
    this.#works.set(catalogId, work)
    if (part === 'whole') work.isWhole = true
    else work.labels.add(part.label)
    if (!this.#stop.signal.aborted) work.run ??= this.#run(catalogId, work)
  }

  async #run(catalogId: string, work: Work): Promise<void> {
    const { store, onBroken } = this.#options
    const { signal } = this.#stop
    try {
      while ((work.isWhole || work.labels.size > 0) && !signal.aborted) {
        await this.#pause(collectMs, signal).catch(() => undefined)
        const catalog = store.get('zones', catalogId)
        if (catalog === undefined || !isInUse(catalog) || signal.aborted) return
        const wasWhole = work.isWhole
        try {
          if (wasWhole) await this.#collectAll(catalog, work)
          await this.#write(catalogId, work)
        } catch (error) {
          work.isWhole = true
          onBroken(catalog, error)
          return
        }
      }
    } finally {
      // Cleared synchronously with the last check for work: anything noted after that starts a new run.
      work.run = undefined
    }
  }

  /** Collects every label that may need a write: each zone of the pool, and each one already in the catalog. */
  async #collectAll(catalog: Zone, work: Work): Promise<void> {
    const { store } = this.#options
    const zones = rowPages(store, 'zones', { index: 'byPool', key: catalog.poolId })
    const rows = rowPages(store, 'recordsets', { index: 'byZone', key: catalog.id })
    work.isWhole = false
    for await (const page of inTurns(zones)) {
      for (const { id } of page) work.labels.add(labelOf(id))
    }
    for await (const page of inTurns(rows)) {
      for (const { name } of page) {
        const label = labelIn(catalog.name, name)
        if (label !== undefined) work.labels.add(label)
      }
    }
  }

  async #write(catalogId: string, { labels }: Work): Promise<void> {
    while (labels.size > 0 && !this.#stop.signal.aborted) {
      const batch = [...labels].slice(0, batchMembers)
      // Before the commit: a zone that changes during it is noted again.
      for (const label of batch) labels.delete(label)
      await this.#options.store.commit(tx => writeMembers(tx, catalogId, batch))
    }
  }
}

/** Writes the members of some zones; nothing where the catalog has them already. */
function writeMembers(tx: Transaction, catalogId: string, labels: readonly string[]): void {
  const catalog = tx.get('zones', catalogId)
  if (catalog === undefined || !isInUse(catalog)) return
  const wanted = labels.flatMap(label =>
    memberRecordsets(catalog.name, label, memberOf(tx.get('zones', idOf(label)), catalog.poolId)),
  )
  const changes = [versionRecordset(catalog.name), ...wanted].filter(recordset =>
    keepManaged(tx, catalog, recordset),
  )
  if (changes.length > 0) advanceZone(tx, catalog)
}

/** The member that a pool's catalog has for a zone; undefined where the zone cannot be transferred. */
function memberOf(zone: Zone | undefined, poolId: string): CatalogMember | undefined {
  if (zone === undefined || zone.poolId !== poolId) return undefined
  if (!isInUse(zone) || !isComplete(zone) || catalogRoleOf(zone) !== undefined) return undefined
  const { [catalogGroupAttribute]: group, [catalogOwnerAttribute]: coo } = zone.attributes
  return { label: labelOf(zone.id), name: zone.name, ...(group && { group }), ...(coo && { coo }) }
}

/** A zone that is deleted and created again has another id, so its secondaries reset it. */
function labelOf(zoneId: string): string {
  return zoneId.replaceAll('-', '')
}

function idOf(label: string): string {
  return label.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
