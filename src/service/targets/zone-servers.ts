import { isIP } from 'node:net'
import { isNameText } from '../../dns/name.ts'
import { typeCode } from '../../dns/rdata/index.ts'
import { ApiError } from '../../errors.ts'
import { formatHostPort } from '../../host-port.ts'
import { type Caller, isAdmin } from '../../identity/caller.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { NamedBy } from '../../model/outbound-address.ts'
import type { Pool } from '../../model/pool.ts'
import { checkedServersOf, notifiedServersOf } from '../../model/pool-attributes.ts'
import { quote } from '../../model/quote.ts'
import { recordsKeyOf } from '../../model/record-values.ts'
import type { Recordset } from '../../model/recordset.ts'
import type { Zone } from '../../model/zone.ts'
import type { Store } from '../../store/store.ts'
import { findRecordsetOf } from '../rules/find-recordset.ts'
import { ProjectSemaphore } from '../rules/project-semaphore.ts'
import { getOwnZone } from '../rules/zone-access.ts'
import type { HostAddresses } from './host-addresses.ts'
import { otherNameServers, storedAddresses } from './notify-targets.ts'

// Compares the stored content of a zone with the answers of each of its servers: its name servers, and the servers that its
// pool checks and notifies. They are queried once per request, and no answer is kept.

/** A server's answer for a record set. */
type ServedRecords = {
  readonly rcode: string
  /** Whether it answers with authority for the zone. */
  readonly isAuthoritative: boolean
  readonly ttlSeconds: number | null
  /** As in a zone file, sorted. */
  readonly records: readonly string[]
}

type Question = Pick<Recordset, 'name' | 'type'>

/** Queries a server once. Never rejects; `reason` is for people. */
export type AskServer = (
  server: Server,
  question: Question,
) => Promise<ServedRecords | { readonly reason: string }>

export type ServerAnswer = {
  /** Its name or address as configured. */
  readonly host: string
  /** The address that was queried; null where its name does not resolve. */
  readonly address: string | null
  /** Whether it answers what is stored. */
  readonly isSame: boolean
  readonly answer: ServedRecords | { readonly reason: string }
}

type ZoneServerAnswers = Question & {
  readonly stored: StoredRecords | undefined
  readonly servers: readonly ServerAnswer[]
}

type StoredRecords = { readonly ttlSeconds: number; readonly records: readonly string[] }

type ZoneServersOptions = {
  readonly store: Store
  readonly hosts: HostAddresses
  readonly ask: AskServer
}

/** The most servers of a zone that are queried, and the most addresses of each. */
const maxServers = 16
const maxAddresses = 4

type Asked = Omit<ServerAnswer, 'isSame'>
type Server = Endpoint & { readonly namedBy: NamedBy }

/** Compares what is stored with what is answered. */
export class ZoneServers {
  readonly #options: ZoneServersOptions
  readonly #semaphore = new ProjectSemaphore(
    {
      maxRunning: 8,
      maxRunningPerKey: 1,
      maxWaiting: 100,
      maxWaitingPerKey: 2,
    },
    'Other name servers of the project are being asked',
  )

  constructor(options: ZoneServersOptions) {
    this.#options = options
  }

  /** Queries all servers of a zone for one of its record sets.
   *  Additional servers that the pool names are shown to operators only.
   *  @param name in the zone; its apex if omitted
   *  @throws ApiError zone_not_found, forbidden, bad_request, too_many_requests */
  async ask(
    caller: Caller,
    zoneId: string,
    { name, type }: { readonly name: string | undefined; readonly type: string },
  ): Promise<ZoneServerAnswers> {
    const { store } = this.#options
    const zone = getOwnZone(store, caller, zoneId)
    const question = { name: name ?? zone.name, type }
    requireInZone(zone, question)
    const servers = await this.#semaphore.run(zone.projectId, async () => {
      const pool = store.get('pools', zone.poolId)
      const known = pool === undefined ? [] : serversOf(store, { zone, pool, caller })
      const asked = known.slice(0, maxServers)
      return (await Promise.all(asked.map(each => this.#askOne(zone, each, question)))).flat()
    })
    const stored = this.#stored(zone, question)
    const judged = servers.map(server => ({
      ...server,
      isSame: isSame(type, stored, server.answer),
    }))
    return { ...question, stored, servers: judged }
  }

  async #askOne(
    zone: Zone,
    { host, port, namedBy }: Server,
    question: Question,
  ): Promise<readonly Asked[]> {
    const addresses = await this.#addressesOf(zone, host, namedBy)
    if (addresses.length === 0)
      return [{ host, address: null, answer: { reason: 'its name has no address' } }]
    return Promise.all(
      addresses.slice(0, maxAddresses).map(async address => {
        const server = { host: address, port }
        const answer = await this.#options.ask({ ...server, namedBy }, question)
        return { host, address: formatHostPort(server), answer }
      }),
    )
  }

  async #addressesOf(zone: Zone, host: string, namedBy: NamedBy): Promise<readonly string[]> {
    if (isIP(host) !== 0) return [host]
    const stored = storedAddresses(this.#options.store, zone.poolId, host)
    return stored.length > 0 ? stored : this.#options.hosts.of(host, namedBy)
  }

  #stored(zone: Zone, owned: Question) {
    const row = findRecordsetOf(this.#options.store, zone, owned)
    if (row === undefined) return undefined
    const ttlSeconds = row.ttlSeconds ?? zone.ttlSeconds ?? 0
    return { ttlSeconds, records: [...row.records].sort() }
  }
}

/** The name servers of a zone, and the additional servers that its pool names, each once. */
function serversOf(
  store: Store,
  { zone, pool, caller }: { readonly zone: Zone; readonly pool: Pool; readonly caller: Caller },
): readonly Server[] {
  const operators = isAdmin(caller) ? [...checkedServersOf(pool), ...notifiedServersOf(pool)] : []
  const port = 53
  const servers: readonly Server[] = [
    ...pool.nsRecords.map(({ hostname: host }): Server => ({ host, port, namedBy: 'operator' })),
    ...otherNameServers(store, zone, pool).map(
      (host): Server => ({ host, port, namedBy: 'project' }),
    ),
    ...operators.map(({ host, port }): Server => ({ host, port, namedBy: 'operator' })),
  ]
  return [...new Map(servers.map(server => [formatHostPort(server), server])).values()]
}

/** In whatever order and spelling. */
function isSame(
  type: string,
  stored: StoredRecords | undefined,
  answer: ServerAnswer['answer'],
): boolean {
  if ('reason' in answer || !answer.isAuthoritative) return false
  if (stored === undefined) return answer.records.length === 0
  const [own, its] = [stored.records, answer.records].map(records => recordsKeyOf(type, records))
  return answer.ttlSeconds === stored.ttlSeconds && own === its
}

/** @throws ApiError bad_request */
function requireInZone({ name: apex }: Zone, { name, type }: Question): void {
  const isBelow = `.${name}`.toLowerCase().endsWith(`.${apex.toLowerCase()}`)
  if (!isBelow) throw new ApiError('bad_request', `${quote(name)} is not in the zone`)
  if (!isNameText(name)) throw new ApiError('bad_request', `${quote(name)} is not a name`)
  if (typeCode(type) === undefined)
    throw new ApiError('bad_request', `${quote(type)} is not a type`)
}
