import type { Endpoint } from '../../model/masters.ts'

/** Listeners that are open, to be kept or given up with the change they are for. */
export type PreparedListeners = {
  readonly kind: 'prepared'
  /** Closes those that the pool had and is not to have any more. */
  keep(): Promise<void>
  /** Closes those that the pool did not have before. */
  undo(): Promise<void>
}

/** What is asked of the servers in this process that answer for pools. */
export type PoolServers = {
  /** Opens what is missing of a pool's own listeners; `reason` says which cannot be had, why, and what helps. */
  prepare(
    poolId: string,
    addresses: readonly Endpoint[],
  ): Promise<PreparedListeners | { readonly kind: 'refused'; readonly reason: string }>
  /** Closes a pool's own listeners and forgets its zones. */
  remove(poolId: string): Promise<void>
  /** Why a pool is not answered where it should be; undefined while it is. */
  problemOf(poolId: string): string | undefined
}
