import type { Name } from '../dns/name.ts'
import { TimeSlice } from '../time-slice.ts'
import type { ListenAddress } from './answer.ts'
import { formatAddress, ListenError } from './listen-error.ts'

// The servers in this process that answer for pools. A pool with its own listeners has its own set of zones, which no
// other listeners answer from; all other pools share one set of zones behind the default listeners.

/** All zones of one server. */
export type ServerZones<Zone> = {
  publish(zone: Zone): void
  withdraw(apex: Name): boolean
  get(apex: Name): Zone | undefined
}

export type PoolServersOptions<Zone, Zones extends ServerZones<Zone>> = {
  /** The zones behind the default listeners. */
  readonly shared: Zones
  readonly createZones: (poolId: string) => Zones
  /** Listens on one address and answers from these zones. @throws ListenError */
  readonly openListeners: (zones: Zones, address: ListenAddress) => Promise<OwnListeners>
  /** Yields the apexes of a pool's zones in pages. */
  readonly apexesOf: (poolId: string) => Iterable<readonly Name[]>
}

/** Listeners on one address, UDP and TCP. */
export type OwnListeners = {
  /** With the real port. */
  readonly addresses: readonly ListenAddress[]
  close(): Promise<void>
}

/** A pool's own server; without addresses the pool uses the shared one. */
type Server<Zones> = {
  zones: Zones
  readonly listenersByAddress: Map<string, OwnListeners>
  /** Where it should listen. */
  addresses: readonly ListenAddress[]
  problem: string | undefined
}

/** The result of opening a pool's listeners. */
export type Preparation =
  | { readonly kind: 'prepared'; keep(): Promise<void>; undo(): Promise<void> }
  | { readonly kind: 'refused'; readonly reason: string }

/** The pools' servers: their zones and, if they have any, their own listeners. */
export class PoolServers<Zone, Zones extends ServerZones<Zone>> {
  readonly #options: PoolServersOptions<Zone, Zones>
  readonly #serverByPool = new Map<string, Server<Zones>>()
  /** Pools whose zones are being moved from one server to another. */
  readonly #moving = new Set<string>()
  /** Sets of zones that no pool uses any more. */
  readonly #idle: Zones[] = []

  constructor(options: PoolServersOptions<Zone, Zones>) {
    this.#options = options
  }

  /** The set of zones from which a pool is answered. */
  zonesOf(poolId: string): Zones {
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
  get ownZones(): readonly (readonly [poolId: string, zones: Zones])[] | undefined {
    if (this.#moving.size > 0) return undefined
    return Array.from(this.#serverByPool, ([poolId, { zones }]) => [poolId, zones] as const)
  }

  /** Gives a pool its own set of zones at start, before any is published; `open` opens its listeners. */
  add(poolId: string, addresses: readonly ListenAddress[]): void {
    if (addresses.length === 0) return
    const zones = this.#options.createZones(poolId)
    const problem = 'its listeners are not open yet'
    const listenersByAddress = new Map<string, OwnListeners>()
    this.#serverByPool.set(poolId, { zones, listenersByAddress, addresses, problem })
  }

  /** Opens the missing listeners of all pools; those that fail are tried again at the next call. */
  async open(): Promise<void> {
    for (const server of this.#serverByPool.values()) {
      if (server.problem === undefined) continue
      const opened = await this.#openMissing(server, server.addresses)
      if (opened.kind === 'opened') this.#adopt(server, opened.listeners)
      server.problem = opened.kind === 'opened' ? undefined : opened.reason
    }
  }

  /** Opens the missing listeners of a pool; the pool is answered there once `keep` is called. */
  async prepare(poolId: string, addresses: readonly ListenAddress[]): Promise<Preparation> {
    const before = this.#serverByPool.get(poolId)
    if (before === undefined && addresses.length === 0) return nothingToDo
    const server = before ?? this.#newServer(poolId)
    const opened = await this.#openMissing(server, addresses)
    if (opened.kind === 'refused') {
      if (before === undefined) this.#idle.push(server.zones)
      return opened
    }
    return {
      kind: 'prepared',
      keep: async () => {
        this.#adopt(server, opened.listeners)
        server.problem = undefined
        server.addresses = addresses
        if (addresses.length === 0) await this.#dissolve(poolId, server)
        else await this.#settle(poolId, server, { isNew: before === undefined })
      },
      undo: async () => {
        if (before === undefined) this.#idle.push(server.zones)
        await closeAll(opened.listeners.values())
      },
    }
  }

  /** Closes the listeners of a pool, which must have no zones. */
  async remove(poolId: string): Promise<void> {
    const server = this.#serverByPool.get(poolId)
    if (server === undefined) return
    this.#serverByPool.delete(poolId)
    this.#idle.push(server.zones)
    await closeAll(server.listenersByAddress.values())
  }

  /** Closes all listeners; resolves when the requests that have arrived are answered. Idempotent. */
  async close(): Promise<void> {
    for (const { listenersByAddress } of this.#serverByPool.values()) {
      await closeAll(listenersByAddress.values())
    }
  }

  #newServer(poolId: string): Server<Zones> {
    const zones = this.#idle.pop() ?? this.#options.createZones(poolId)
    return { zones, listenersByAddress: new Map(), addresses: [], problem: undefined }
  }

  /** Switches to the pool's own server, which is already listening: moves the pool's zones there from the shared one. */
  async #settle(
    poolId: string,
    server: Server<Zones>,
    { isNew }: { readonly isNew: boolean },
  ): Promise<void> {
    this.#serverByPool.set(poolId, server)
    if (isNew) await this.#move(poolId, { from: this.#options.shared, to: server.zones })
    await this.#closeObsolete(server)
  }

  /** Switches to the shared server: moves the pool's zones there before the pool's listeners close. */
  async #dissolve(poolId: string, server: Server<Zones>): Promise<void> {
    this.#serverByPool.delete(poolId)
    await this.#move(poolId, { from: server.zones, to: this.#options.shared })
    await this.#closeObsolete(server)
    this.#idle.push(server.zones)
  }

  /** Moves a pool's zones in time slices. A zone that was published at the new place meanwhile is newer there. */
  async #move(
    poolId: string,
    { from, to }: { readonly from: Zones; readonly to: Zones },
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
        if (slice.isSpent) await slice.rest()
      }
    } finally {
      this.#moving.delete(poolId)
    }
  }

  async #openMissing(
    { zones, listenersByAddress }: Server<Zones>,
    addresses: readonly ListenAddress[],
  ): Promise<
    | { readonly kind: 'opened'; readonly listeners: Map<string, OwnListeners> }
    | { readonly kind: 'refused'; readonly reason: string }
  > {
    const listeners = new Map<string, OwnListeners>()
    try {
      for (const address of addresses) {
        const key = formatAddress(address)
        const isOpen = [...listenersByAddress].some(each => isAt(key, each))
        if (isOpen || listeners.has(key)) continue
        listeners.set(key, await this.#options.openListeners(zones, address))
      }
      return { kind: 'opened', listeners }
    } catch (error) {
      await closeAll(listeners.values())
      if (!(error instanceof ListenError)) throw error
      return { kind: 'refused', reason: error.messageFor('attributes.listen') }
    }
  }

  #adopt(server: Server<Zones>, listeners: ReadonlyMap<string, OwnListeners>): void {
    for (const [key, opened] of listeners) server.listenersByAddress.set(key, opened)
  }

  async #closeObsolete({ addresses, listenersByAddress }: Server<Zones>): Promise<void> {
    const wanted = addresses.map(formatAddress)
    const obsolete = [...listenersByAddress].filter(each => !wanted.some(key => isAt(key, each)))
    for (const [key] of obsolete) listenersByAddress.delete(key)
    await closeAll(obsolete.map(([, listeners]) => listeners))
  }
}

/** Whether listeners are at an address, as requested or with the port they were given. */
function isAt(key: string, [askedFor, { addresses }]: readonly [string, OwnListeners]): boolean {
  return key === askedFor || addresses.some(address => formatAddress(address) === key)
}

const nothingToDo: Preparation = {
  kind: 'prepared',
  keep: async () => undefined,
  undo: async () => undefined,
}

async function closeAll(listeners: Iterable<OwnListeners>): Promise<void> {
  await Promise.all([...listeners].map(each => each.close()))
}
