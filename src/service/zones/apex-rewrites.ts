import type { Pool } from '../../model/pool.ts'
import type { Zone } from '../../model/zone.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, Transaction } from '../../store/store.ts'
import { TimeSlice } from '../../time-slice.ts'
import { rowPages } from '../listing/row-pages.ts'
import { hasApexOfPool, rewriteApex } from '../rules/zone-rows.ts'

/** Zones rewritten in one transaction: three rows each, so a few milliseconds. */
const chunkZones = 50

/** Writes the name servers of a pool to the apex NS and the SOA of its zones, a chunk at a time. The pool's row is
 *  marked until this is done, so a restart resumes it. */
export class ApexRewrites {
  readonly #store: Store
  readonly #running = new Map<string, Promise<void>>()

  constructor(store: Store) {
    this.#store = store
  }

  /** Rewrites the stale zones of the pool, or joins a rewrite under way, which notices name servers that have
   *  changed meanwhile. */
  rewrite(poolId: string): Promise<void> {
    const running = this.#running.get(poolId)
    if (running !== undefined) return running
    const rewrite = this.#rewriteUntilCurrent(poolId).finally(() => this.#running.delete(poolId))
    this.#running.set(poolId, rewrite)
    return rewrite
  }

  /** Whether one chunk holds all of the pool, so that its rewrite is worth waiting for. */
  isShort(poolId: string): boolean {
    return this.#store.count('zones', 'byPool', poolId) <= chunkZones
  }

  /** Resumes every interrupted rewrite. */
  async finishAll(): Promise<void> {
    for (const pool of [...this.#store.list('pools', 'all', everything)]) {
      if (pool.isRewritePending) await this.rewrite(pool.id)
    }
  }

  async #rewriteUntilCurrent(poolId: string): Promise<void> {
    const slice = new TimeSlice()
    for (let isCurrent = false; !isCurrent; ) {
      const pool = this.#store.get('pools', poolId)
      if (pool === undefined) return
      for (const page of rowPages(this.#store, 'zones', { index: 'byPool', key: poolId })) {
        const stale = page.filter(zone => !hasApexOfPool(this.#store, zone))
        for (let at = 0; at < stale.length; at += chunkZones) {
          const chunk = stale.slice(at, at + chunkZones)
          await this.#store.commit(tx => rewriteZones(tx, chunk))
          if (slice.isSpent) await slice.yield()
        }
        if (slice.isSpent) await slice.yield()
      }
      isCurrent = await this.#store.commit(tx => markDone(tx, pool))
    }
  }
}

function rewriteZones(tx: Transaction, zones: readonly Zone[]): void {
  for (const { id, poolId } of zones) {
    const zone = tx.get('zones', id)
    if (zone?.poolId === poolId && !hasApexOfPool(tx, zone)) rewriteApex(tx, zone)
  }
}

/** Returns whether the pool still has the name servers that were written. */
function markDone(tx: Transaction, { id, nsRecords }: Pool): boolean {
  const pool = tx.get('pools', id)
  if (pool === undefined) return true
  if (JSON.stringify(pool.nsRecords) !== JSON.stringify(nsRecords)) return false
  const { isRewritePending: _, ...done } = pool
  tx.put('pools', { ...done, version: pool.version + 1 })
  return true
}
