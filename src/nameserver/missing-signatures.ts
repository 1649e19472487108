import { types } from '../dns/codes.ts'
import type { OnDemandSigner } from '../dnssec/on-demand.ts'
import { nameOfEntry } from '../zone/table/entries.ts'
import { zone as zoneBlock, zoneStates } from '../zone/table/layout.ts'
import type { TableMemory } from '../zone/table/memory.ts'
import { readRrset, soaExpireOf } from '../zone/table/rrset-block.ts'
import type { TableLookup } from '../zone/table/table-lookup.ts'
import { ownerOfEntry } from '../zone/table/zone-signing.ts'
import type { Response } from './response.ts'

/** Seconds since 1970. */
export type Clock = { unixSeconds(): number }

/** Makes the signatures that a zone does not have yet, for one answer: the table is not changed. An answer with an RRset
 *  that cannot be signed must not be sent. */
export class MissingSignatures {
  /** Whether one could not be made since `begin`. */
  isUnsigned = false
  #clock: Clock | undefined
  readonly #memory: TableMemory
  readonly #lookup: TableLookup
  readonly #response: Response
  readonly #signer: OnDemandSigner | undefined

  constructor(
    { memory, lookup }: { readonly memory: TableMemory; readonly lookup: TableLookup },
    response: Response,
    signer: OnDemandSigner | undefined,
  ) {
    this.#memory = memory
    this.#lookup = lookup
    this.#response = response
    this.#signer = signer
  }

  /** @param clock without it nothing is signed */
  begin(clock: Clock | undefined): void {
    this.isUnsigned = false
    this.#clock = clock
  }

  /** Puts the signatures of an RRset that has none, where its zone is signed on demand. */
  put(section: number, owner: number, unsigned: UnsignedRrset): void {
    const { zone, node, nsec3, ttlSeconds } = unsigned
    const memory = this.#memory
    const states = memory.words[zone + zoneBlock.states] as number
    if ((states & zoneStates.isSignedOnDemand) === 0) return
    const rrset = readRrset(memory, unsigned.rrset)
    if (rrset.type === types.RRSIG || rrset.type === types.ALIAS) return
    const apexNode = memory.words[zone + zoneBlock.apex] as number
    const nowSeconds = this.#clock?.unixSeconds()
    const rdatas =
      nowSeconds === undefined
        ? undefined
        : this.#signer?.sign(zone, {
            apex: nameOfEntry(memory, apexNode),
            owner: node === 0 ? ownerOfEntry(memory, zone, nsec3) : nameOfEntry(memory, node),
            expireSeconds: soaExpireOf(memory, this.#lookup.findSoa(zone)),
            ...{ rrset, nowSeconds },
          })
    if (rdatas === undefined || rdatas.length === 0) this.isUnsigned = true
    else this.#response.putSignatures(section, owner, ttlSeconds ?? rrset.ttlSeconds, rdatas)
  }
}

export type UnsignedRrset = {
  readonly zone: number
  /** Its owner; 0 for an NSEC3, which is in an entry of its own. */
  readonly node: number
  readonly nsec3: number
  readonly rrset: number
  /** The TTL of the answer where it is not the RRset's own. */
  readonly ttlSeconds?: number
}
