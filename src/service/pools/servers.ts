import { ApiError, requireFound } from '../../errors.ts'
import { requireValid } from '../../model/field-rules.ts'
import { hostNameError } from '../../model/host-name.ts'
import { maxNsRecords } from '../../model/limits.ts'
import { defaultPoolId, isSameServer, type Pool, type StoredNsRecord } from '../../model/pool.ts'
import type { NsRecordDraft } from '../../model/pool-draft.ts'
import type { Pools } from './pools.ts'

/** The priority of a new server in the default pool; servers that an operator has put first stay first. */
const newServerPriority = 10

/** The name servers of the default pool as single resources, as in the older API. Each change of one changes the pool, and so
 *  the apex of all its zones. */
export class Servers {
  readonly #pools: Pools

  constructor(pools: Pools) {
    this.#pools = pools
  }

  /** Lists all of them, the oldest first. */
  list(): readonly StoredNsRecord[] {
    return this.#pools.get(defaultPoolId).nsRecords.toSorted((a, b) => a.createdAt - b.createdAt)
  }

  /** @throws ApiError server_not_found */
  get(id: string): StoredNsRecord {
    return getServer(this.#pools.get(defaultPoolId), id)
  }

  /** @throws ApiError invalid_object, duplicate_server; invalid_operation there are as many as there can be */
  async create(hostname: string): Promise<StoredNsRecord> {
    requireValid('server', [hostNameError('name', hostname)])
    const isNew = (row: StoredNsRecord) => isSameServer(row, { hostname })
    const pool = await this.#change(({ nsRecords }) => {
      requireNewName(nsRecords, hostname)
      requireRoom(nsRecords)
      return [...nsRecords, { hostname, priority: newServerPriority }]
    })
    return requireFound(pool.nsRecords.find(isNew), 'server_not_found')
  }

  /** Renames a server.
   *  @throws ApiError server_not_found, invalid_object, duplicate_server */
  async rename(id: string, hostname: string): Promise<StoredNsRecord> {
    const pool = await this.#change(before => {
      const server = getServer(before, id)
      requireValid('server', [hostNameError('name', hostname)])
      const others = before.nsRecords.filter(row => row !== server)
      requireNewName(others, hostname)
      return before.nsRecords.map(row => (row === server ? { ...row, hostname } : row))
    })
    return getServer(pool, id)
  }

  /** @throws ApiError server_not_found, last_server_delete_not_allowed */
  async delete(id: string): Promise<void> {
    await this.#change(pool => {
      const server = getServer(pool, id)
      return pool.nsRecords.filter(row => row !== server)
    })
  }

  #change(nsRecordsFor: (pool: Pool) => readonly NsRecordDraft[]): Promise<Pool> {
    return this.#pools.change(defaultPoolId, pool => ({ nsRecords: nsRecordsFor(pool) }))
  }
}

function getServer({ nsRecords }: Pool, id: string): StoredNsRecord {
  const server = nsRecords.find(row => row.id === id)
  return requireFound(server, 'server_not_found')
}

/** @throws ApiError duplicate_server */
function requireNewName(servers: readonly StoredNsRecord[], hostname: string): void {
  if (!servers.some(row => isSameServer(row, { hostname }))) return
  throw new ApiError('duplicate_server', 'Duplicate Server')
}

/** @throws ApiError invalid_operation */
function requireRoom(servers: readonly StoredNsRecord[]): void {
  if (servers.length < maxNsRecords) return
  throw new ApiError(
    'invalid_operation',
    `There are ${maxNsRecords} servers, the most there can be`,
  )
}
