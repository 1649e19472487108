import type { Endpoint } from '../../model/masters.ts'

/** Open listeners, to be kept or closed depending on the change they are for. */
type PreparedListeners = {
  readonly kind: 'prepared'
  /** Closes those that the pool had and no longer has. */
  keep(): Promise<void>
  /** Closes those that the pool did not have before. */
  undo(): Promise<void>
}

/** The servers in this process that answer for pools. */
export type PoolServers = {
  /** Opens the missing ones of a pool's own listeners; `reason` says which one cannot be opened, why, and what helps. */
  prepare(
    poolId: string,
    addresses: readonly Endpoint[],
  ): Promise<PreparedListeners | { readonly kind: 'refused'; readonly reason: string }>
  /** Adopts the addresses of a pool as they are stored, if another node has changed them; undefined for a pool that is gone. */
  follow(poolId: string, addresses: readonly Endpoint[] | undefined): void
  /** Closes a pool's own listeners and forgets its zones. */
  remove(poolId: string): Promise<void>
  /** Why a pool is not answered where it should be; undefined while it is. */
  problemOf(poolId: string): string | undefined
}
