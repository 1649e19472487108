import type { Name } from '../dns/name.ts'

/** All rdata of one owner and type in class IN, in uncompressed wire form, in the order they are answered.
 *  Immutable: a change is a new RRset. */
export type Rrset = {
  readonly type: number
  readonly ttlSeconds: number
  readonly rdatas: readonly Uint8Array[]
}

/** An RRset with its owner name, case as given. */
export type OwnedRrset = Rrset & { readonly owner: Name }
