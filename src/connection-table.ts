export type ConnectionCaps = {
  readonly maxConnections: number
  readonly maxConnectionsPerClient: number
}

/** The data that the table needs about a connection. */
export type Tabled = {
  /** Undefined while busy. */
  readonly idleSinceMs: number | undefined
  destroy(): void
}

/** Bounds the number of connections, in total and per client, so that one client cannot take all places.
 *  When full, the connection that has been idle longest is closed (RFC 7766 section 6.2.3); if none is
 *  idle, the new one is refused. */
export class ConnectionTable<C extends Tabled> {
  readonly #caps: ConnectionCaps
  readonly #clientByConnection = new Map<C, string>()
  readonly #connectionsByClient = new Map<string, Set<C>>()

  constructor(caps: ConnectionCaps) {
    this.#caps = caps
  }

  get size(): number {
    return this.#clientByConnection.size
  }

  connections(): C[] {
    return [...this.#clientByConnection.keys()]
  }

  /** Returns whether there is room for one more from this client, if necessary by destroying an idle connection: one of
   *  the client's if the client is at its limit. O(1), or linear in the candidates where room must be made. */
  makeRoom(client: string): boolean {
    const own = this.#connectionsByClient.get(client)
    if (own !== undefined && own.size >= this.#caps.maxConnectionsPerClient) return this.#evict(own)
    return this.size < this.#caps.maxConnections || this.#evict(this.#clientByConnection.keys())
  }

  add(connection: C, client: string): void {
    this.#clientByConnection.set(connection, client)
    const own = this.#connectionsByClient.get(client)
    if (own === undefined) this.#connectionsByClient.set(client, new Set([connection]))
    else own.add(connection)
  }

  /** Idempotent. */
  delete(connection: C): void {
    const client = this.#clientByConnection.get(connection)
    if (client === undefined) return
    this.#clientByConnection.delete(connection)
    const own = this.#connectionsByClient.get(client)
    own?.delete(connection)
    if (own?.size === 0) this.#connectionsByClient.delete(client)
  }

  #evict(connections: Iterable<C>): boolean {
    let oldest: C | undefined
    let oldestSinceMs = Number.POSITIVE_INFINITY
    for (const connection of connections) {
      const sinceMs = connection.idleSinceMs
      if (sinceMs === undefined || sinceMs >= oldestSinceMs) continue
      oldest = connection
      oldestSinceMs = sinceMs
    }
    if (oldest === undefined) return false
    this.delete(oldest)
    oldest.destroy()
    return true
  }
}
