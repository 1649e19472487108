import type { Name } from '../dns/name.ts'
import { formatHostPort } from '../host-port.ts'
import { Mutex } from '../mutex.ts'
import { TimeSlice } from '../time-slice.ts'
import type { TargetZones } from '../zone/table/target-zones.ts'
import type { ListenAddress } from './answer.ts'
import { ListenError } from './listen-error.ts'

// The servers in this process that answer for pools. A pool with its own listeners has its own set of zones, which no
// other listeners answer from; all other pools share one set of zones behind the default listeners.

export type PoolServersOptions = {
  /** The zones behind the default listeners. */
  readonly shared: TargetZones
  readonly createZones: (poolId: string) => TargetZones
  /** Listens on one address and answers from these zones. @throws ListenError */
  readonly openListeners: (zones: TargetZones, address: ListenAddress) => Promise<OwnListeners>
  /** Yields the apexes of a pool's zones in pages. */
  readonly apexesOf: (poolId: string) => Iterable<readonly Name[]>
  /** Whether addresses may be those of another machine, which answers the same pools. */
  readonly isOneOfSeveral?: boolean
}

/** Listeners on one address, UDP and TCP. */
type OwnListeners = {
  /** With the real port. */
  readonly addresses: readonly ListenAddress[]
  close(): Promise<void>
}

/** A pool's own server; without addresses the pool uses the shared one. */
type Server = {
  zones: TargetZones
  readonly listenersByAddress: Map<string, OwnListeners>
  /** Where it should listen. */
  addresses: readonly ListenAddress[]
  problem: string | undefined
}

/** The result of opening a pool's listeners. */
export type Preparation =
  | { readonly kind: 'prepared'; keep(): Promise<void>; undo(): Promise<void> }
  | { readonly kind: 'refused'; readonly reason: string }

const notOpenYet = 'its listeners are not open yet'

/** The pools' servers: their zones and, if they have any, their own listeners. */
export class PoolServers {
  readonly #options: PoolServersOptions
  readonly #serverByPool = new Map<string, Server>()
  /** Pools whose zones are being moved from one server to another. */
  readonly #moving = new Set<string>()
  /** Sets of zones that no pool uses any more. */
  readonly #idle: TargetZones[] = []
  /** Pools whose change is prepared and neither kept nor undone. */
  readonly #preparing = new Set<string>()
  /** Held while listeners are opened, or zones are moved for another node. */
  readonly #mutex = new Mutex()

  constructor(options: PoolServersOptions) {
    this.#options = options
  }

  /** The set of zones from which a pool is answered. */
  zonesOf(poolId: string): TargetZones {
    return this.#serverByPool.get(poolId)?.zones ?? this.#options.shared
  }

  /** The addresses of a pool's own listeners, with the real ports; none if it shares the default ones. */
  addressesOf(poolId: string): readonly ListenAddress[] {
    const listeners = [...(this.#serverByPool.get(poolId)?.listenersByAddress.values() ?? [])]
    return listeners.flatMap(({ addresses }) => addresses)
  }

  /** Why a pool is not answered at its addresses; undefined while it is. */
  problemOf(poolId: string): string | undefined {
    return this.#serverByPool.get(poolId)?.problem
  }

  /** Whether a pool's zones are being moved: some are at the old server and some at the new one. */
  isMoving(poolId: string): boolean {
    return this.#moving.has(poolId)
  }

  /** The pools with their own sets of zones, and these sets; undefined while any zones are being moved. */
  get ownZones(): readonly (readonly [poolId: string, zones: TargetZones])[] | undefined {
    if (this.#moving.size > 0) return undefined
    return Array.from(this.#serverByPool, ([poolId, { zones }]) => [poolId, zones] as const)
  }

  /** Gives a pool its own set of zones at start, before any is published; `open` opens its listeners. */
  add(poolId: string, addresses: readonly ListenAddress[]): void {
    if (addresses.length === 0) return
    const zones = this.#options.createZones(poolId)
    const listenersByAddress = new Map<string, OwnListeners>()
    this.#serverByPool.set(poolId, { zones, listenersByAddress, addresses, problem: notOpenYet })
  }

  /** Opens the missing listeners of all pools; those that fail are tried again at the next call. */
  open(): Promise<void> {
    return this.#mutex.run(() => this.#openAll())
  }

  /** Opens the missing listeners of a pool; the pool is answered there once `keep` is called. */
  async prepare(poolId: string, addresses: readonly ListenAddress[]): Promise<Preparation> {
    const before = this.#serverByPool.get(poolId)
    if (before === undefined && addresses.length === 0) return nothingToDo
    const server = before ?? this.#newServer(poolId)
    this.#preparing.add(poolId)
    const opened = await this.#mutex.run(() => this.#openMissing(server, addresses))
    if (opened.kind === 'refused') {
      this.#preparing.delete(poolId)
      if (before === undefined) this.#idle.push(server.zones)
      return opened
    }
    return {
      kind: 'prepared',
      keep: async () => {
        this.#preparing.delete(poolId)
        this.#adopt(server, opened.listeners)
        server.problem = undefined
        server.addresses = addresses
        if (addresses.length === 0) {
          this.#serverByPool.delete(poolId)
          await this.#dissolve(poolId, server)
        } else await this.#settle(poolId, server, { isNew: before === undefined })
      },
      undo: async () => {
        this.#preparing.delete(poolId)
        if (before === undefined) this.#idle.push(server.zones)
        await closeAll(opened.listeners.values())
      },
    }
  }

  /** Gives a pool the addresses that another node has stored, unless they are its own already. Its zones have their new place at
   *  once, for whatever is published from now on; served zones are moved, and listeners opened and closed, in the background.
   *  @param addresses undefined: the pool is gone, and has no zones */
  follow(poolId: string, addresses: readonly ListenAddress[] | undefined): void {
    if (this.#preparing.has(poolId)) return
    const before = this.#serverByPool.get(poolId)
    if (addressText(before?.addresses ?? []) === addressText(addresses ?? [])) return
    if (before !== undefined && (addresses === undefined || addresses.length === 0)) {
      this.#serverByPool.delete(poolId)
      before.addresses = []
      void this.#mutex.run(() => this.#dissolve(poolId, before))
      return
    }
    const server = before ?? this.#newServer(poolId)
    Object.assign(server, { addresses, problem: notOpenYet })
    this.#serverByPool.set(poolId, server)
    void this.#mutex.run(async () => {
      await this.#settle(poolId, server, { isNew: before === undefined })
      await this.#openAll()
    })
  }

  /** Closes the listeners of a pool, which must have no zones. */
  async remove(poolId: string): Promise<void> {
    this.follow(poolId, undefined)
    await this.#mutex.drained()
  }

  /** Closes all listeners; resolves when the requests that have arrived are answered. Idempotent. */
  async close(): Promise<void> {
    for (const { listenersByAddress } of this.#serverByPool.values()) {
      await closeAll(listenersByAddress.values())
    }
  }

  async #openAll(): Promise<void> {
    for (const server of this.#serverByPool.values()) {
      if (server.problem === undefined) continue
      const opened = await this.#openMissing(server, server.addresses)
      if (opened.kind === 'opened') this.#adopt(server, opened.listeners)
      server.problem = opened.kind === 'opened' ? undefined : opened.reason
    }
  }

  #newServer(poolId: string): Server {
    const zones = this.#idle.pop() ?? this.#options.createZones(poolId)
    return { zones, listenersByAddress: new Map(), addresses: [], problem: undefined }
  }

  /** Switches to the pool's own server, which is already listening: moves the pool's zones there from the shared one. */
  async #settle(
    poolId: string,
    server: Server,
    { isNew }: { readonly isNew: boolean },
  ): Promise<void> {
    this.#serverByPool.set(poolId, server)
    if (isNew) await this.#move(poolId, { from: this.#options.shared, to: server.zones })
    await this.#closeObsolete(server)
  }

  /** Switches to the shared server: moves the pool's zones there before the pool's listeners close. */
  async #dissolve(poolId: string, server: Server): Promise<void> {
    await this.#move(poolId, { from: server.zones, to: this.#options.shared })
    await this.#closeObsolete(server)
    this.#idle.push(server.zones)
  }

  /** Moves a pool's zones in time slices. A zone that was published at the new place meanwhile is newer there. */
  async #move(
    poolId: string,
    { from, to }: { readonly from: TargetZones; readonly to: TargetZones },
  ): Promise<void> {
    const slice = new TimeSlice()
    this.#moving.add(poolId)
    try {
      for (const apexes of this.#options.apexesOf(poolId)) {
        for (const apex of apexes) {
          const zone = from.get(apex)
          if (zone === undefined) continue
          if (to.get(apex) === undefined) to.publish(zone)
          from.withdraw(apex)
        }
        if (slice.isSpent) await slice.yield()
      }
    } finally {
      this.#moving.delete(poolId)
    }
  }

  async #openMissing(
    { zones, listenersByAddress }: Server,
    addresses: readonly ListenAddress[],
  ): Promise<
    | { readonly kind: 'opened'; readonly listeners: Map<string, OwnListeners> }
    | { readonly kind: 'refused'; readonly reason: string }
  > {
    const listeners = new Map<string, OwnListeners>()
    try {
      for (const address of addresses) {
        const key = formatHostPort(address)
        const isOpen = [...listenersByAddress].some(each => isAt(key, each))
        if (isOpen || listeners.has(key)) continue
        const opened = await this.#options.openListeners(zones, address).catch(error => {
          if (!this.#isElsewhere(error)) throw error
        })
        if (opened !== undefined) listeners.set(key, opened)
      }
      return { kind: 'opened', listeners }
    } catch (error) {
      await closeAll(listeners.values())
      if (!(error instanceof ListenError)) throw error
      return { kind: 'refused', reason: error.messageFor('attributes.listen') }
    }
  }

  #isElsewhere(error: unknown): boolean {
    const { isOneOfSeveral = false } = this.#options
    return isOneOfSeveral && error instanceof ListenError && error.code === 'EADDRNOTAVAIL'
  }

  #adopt(server: Server, listeners: ReadonlyMap<string, OwnListeners>): void {
    for (const [key, opened] of listeners) server.listenersByAddress.set(key, opened)
  }

  async #closeObsolete({ addresses, listenersByAddress }: Server): Promise<void> {
    const wanted = addresses.map(formatHostPort)
    const obsolete = [...listenersByAddress].filter(each => !wanted.some(key => isAt(key, each)))
    for (const [key] of obsolete) listenersByAddress.delete(key)
    await closeAll(obsolete.map(([, listeners]) => listeners))
  }
}

/** Whether listeners are at an address, as requested or with the port they were given. */
function isAt(key: string, [askedFor, { addresses }]: readonly [string, OwnListeners]): boolean {
  return key === askedFor || addresses.some(address => formatHostPort(address) === key)
}

const nothingToDo: Preparation = {
  kind: 'prepared',
  keep: async () => undefined,
  undo: async () => undefined,
}

async function closeAll(listeners: Iterable<OwnListeners>): Promise<void> {
  await Promise.all([...listeners].map(each => each.close()))
}

function addressText(addresses: readonly ListenAddress[]): string {
  return addresses.map(formatHostPort).join()
}
