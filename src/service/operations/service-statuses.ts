import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import { requireFound } from '../../errors.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { Stamped } from '../../model/stamped.ts'
import {
  compareCreation,
  type Page,
  type PageRequest,
  pageOf,
  rowListing,
} from '../listing/listing.ts'

// The parts of this process, as monitoring sees them. Nothing of it is stored: a part without a heartbeat counts as down, and
// after a restart the parts report themselves.

/** A part of the server, asked at each heartbeat. */
export type ServicePart = {
  readonly name: string
  /** The services of Designate that do the same work; its own name where it has no counterpart. */
  readonly designateNames?: readonly string[]
  /** Why it does not work; undefined while it does. */
  readonly problem: string | undefined
  readonly stats: Readonly<Record<string, unknown>>
  /** Where it answers DNS queries, if it does. */
  readonly listen?: readonly Endpoint[]
}

/** How parts are named: by their own names, or by those of the services of Designate that do the same. */
type ServiceNaming = 'own' | 'designate'

export type ServiceStatus = Stamped & {
  readonly hostname: string
  readonly serviceName: string
  readonly namings: readonly ServiceNaming[]
  readonly status: 'UP' | 'DOWN'
  readonly stats: Readonly<Record<string, unknown>>
  /** Microseconds. */
  readonly heartbeatedAt: number
}

type ServiceStatusesOptions = {
  readonly hostname: string
  readonly clock: Clock
  readonly parts: () => readonly ServicePart[]
}

/** A part without a heartbeat for this long is down, whatever it last reported. */
const silenceMicros = 1_800 * 1_000_000

/** The parts of this server and their states. */
export class ServiceStatuses {
  readonly #options: ServiceStatusesOptions
  readonly #rowById = new Map<string, ServiceStatus>()

  constructor(options: ServiceStatusesOptions) {
    this.#options = options
  }

  /** Asks each part for its state. Parts that no longer exist are forgotten. */
  beat(): void {
    const { hostname, clock, parts } = this.#options
    const heartbeatedAt = clock.nowMillis() * 1000
    const gone = new Set(this.#rowById.keys())
    for (const { name, namings, problem, stats } of parts().flatMap(underAllNames)) {
      const id = idOf(hostname, name)
      gone.delete(id)
      const before = this.#rowById.get(id)
      this.#rowById.set(id, {
        id,
        version: (before?.version ?? 0) + 1,
        createdAt: before?.createdAt ?? heartbeatedAt,
        updatedAt: before === undefined ? null : heartbeatedAt,
        hostname,
        serviceName: name,
        namings,
        status: problem === undefined ? 'UP' : 'DOWN',
        stats: problem === undefined ? stats : { ...stats, problem },
        heartbeatedAt,
      })
    }
    for (const id of gone) this.#rowById.delete(id)
  }

  /** @throws ApiError service_status_not_found */
  get(id: string): ServiceStatus {
    return this.#judged(requireFound(this.#rowById.get(id), 'service_status_not_found'))
  }

  /** @throws ApiError marker_not_found */
  list(naming: ServiceNaming, request: PageRequest<ServiceStatus>): Page<ServiceStatus> {
    const rows = [...this.#rowById.values()]
      .filter(({ namings }) => namings.includes(naming))
      .map(row => this.#judged(row))
      .sort(compareCreation)
    return pageOf(rowListing(rows), request)
  }

  #judged(row: ServiceStatus): ServiceStatus {
    const silentMicros = this.#options.clock.nowMillis() * 1000 - row.heartbeatedAt
    return silentMicros > silenceMicros ? { ...row, status: 'DOWN' } : row
  }
}

type NamedPart = ServicePart & { readonly namings: readonly ServiceNaming[] }

/** A part under its own name and under Designate's names for it. */
function underAllNames(part: ServicePart): readonly NamedPart[] {
  const { name, designateNames = [name] } = part
  const names = [...new Set([name, ...designateNames])]
  return names.map(shown => ({
    ...part,
    name: shown,
    namings: [
      ...(shown === name ? (['own'] as const) : []),
      ...(designateNames.includes(shown) ? (['designate'] as const) : []),
    ],
  }))
}

/** The same after a restart: a UUID derived from the names (RFC 9562 section 5.8). */
function idOf(hostname: string, name: string): string {
  const hex = createHash('sha256').update(`${hostname}\n${name}`).digest('hex')
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5')
}
