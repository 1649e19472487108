import { parseName } from '../../dns/name.ts'
import type { DsDigest, ZoneKey } from '../../dnssec/key.ts'
import { dsDigests } from '../../dnssec/key.ts'
import { isUnfollowed } from '../../dnssec/presence.ts'
import { isDsLeaving } from '../../dnssec/rolls.ts'
import { wantsDs } from '../../dnssec/views.ts'
import { LruMap } from '../../lru-map.ts'
import type { DnssecKey } from '../../model/dnssec-key.ts'
import type { Endpoint } from '../../model/masters.ts'
import type { NamedBy } from '../../model/outbound-address.ts'
import type { Zone } from '../../model/zone.ts'
import { Semaphore } from '../../semaphore.ts'

/** The answer of one server of the parent. */
export type ParentServer = {
  /** `host` or `host:port`. */
  readonly host: string
  /** Its DS of the zone as text: tag, algorithm, digest type, digest in lower case. */
  readonly ds: readonly string[]
  readonly ttlSeconds: number | null
  /** Why they are not known; null where they are. */
  readonly error: string | null
}

/** Asks all servers of a zone's parent. Never rejects; the parent is null where it is not known. */
export type AskParent = (
  zoneName: string,
  given: { readonly hosts: readonly string[]; readonly namedBy: NamedBy } | undefined,
) => Promise<{ readonly parent: string | null; readonly servers: readonly ParentServer[] }>

/** Notifies the parent of a zone that its CDS have changed, if the parent accepts that. Never rejects. */
export type NotifyParent = (...args: Parameters<AskParent>) => Promise<readonly NotifiedTarget[]>

export type NotifiedTarget = Endpoint & { readonly isAcknowledged: boolean }

/** The outcome of a NOTIFY to a parent. */
export type Notification = {
  /** In microseconds. */
  readonly at: number
  readonly targets: readonly NotifiedTarget[]
}

export type ParentReport = Awaited<ReturnType<AskParent>> & {
  /** In microseconds. */
  readonly checkedAt: number
  /** The longest TTL of DS there, or of those seen last; undefined where none was seen. */
  readonly ttlSeconds: number | undefined
  /** Keys whose DS is as it should be on all servers, each with the time when that was first seen, in microseconds. */
  readonly seenAt: ReadonlyMap<string, number>
}

export type ParentNews = {
  /** Keys for which the parent was seen twice to have followed. */
  readonly keyIds: readonly string[]
  /** Keys whose DS had gone and is back. */
  readonly returnedIds: readonly string[]
  /** The longest TTL of DS there; undefined where it is not known. */
  readonly ttlSeconds: number | undefined
}

/** Zones that one run asks for. A server that does not answer takes some seconds. */
const maxTurns = 400
const maxTurnsPerProject = 40
/** Reports that are kept. */
const maxReports = 10_000
/** The least time between the two checks that have to see a DS: answers are not validated, and one may be forged. */
const confirmedAfterMicros = 5 * 60 * 1_000_000

/** The pause before a change is notified again: doubled each time, and the longest one once it was acknowledged. */
const firstPauseMicros = 15 * 60 * 1_000_000
const longPauseMicros = 86_400 * 1_000_000

type ParentChecksOptions = {
  readonly ask: AskParent
  readonly notify: NotifyParent
  readonly nowMicros: () => number
  readonly keyOf: (row: DnssecKey) => ZoneKey
}

/** The DS that the parents of zones were last seen to have. */
export class ParentChecks {
  readonly #options: ParentChecksOptions
  readonly #reports = new LruMap<string, ParentReport>(maxReports)
  readonly #notifications = new LruMap<
    string,
    {
      /** The changes that were notified. */
      readonly of: string
      readonly count: number
      readonly nextAt: number
      readonly last: Notification | undefined
    }
  >(maxReports)
  readonly #notifying = new Semaphore({
    ...{ maxRunning: 16, maxRunningPerKey: 2 },
    ...{ maxWaiting: 1_000, maxWaitingPerKey: 50 },
  })
  /** Those of one project wait for each other. */
  readonly #running = new Semaphore({ maxRunning: 32, maxRunningPerKey: 4 })

  constructor(options: ParentChecksOptions) {
    this.#options = options
  }

  get(zoneId: string): ParentReport | undefined {
    return this.#reports.get(zoneId)
  }

  /** The last NOTIFY to the parent; undefined where there was none yet. */
  notificationOf(zoneId: string): Notification | undefined {
    return this.#notifications.get(zoneId)?.last
  }

  /** Selects the zones of a run: those that have waited longest, and of each project only so many that a run ends soon even
   *  if parents do not answer. */
  turnsOf(zones: readonly Zone[]): readonly Zone[] {
    const checkedAt = ({ id }: Zone) => this.#reports.get(id)?.checkedAt ?? 0
    const counts = new Map<string, number>()
    const turns: Zone[] = []
    for (const zone of zones.toSorted((one, other) => checkedAt(one) - checkedAt(other))) {
      const count = (counts.get(zone.projectId) ?? 0) + 1
      counts.set(zone.projectId, count)
      if (count <= maxTurnsPerProject && turns.length < maxTurns) turns.push(zone)
    }
    return turns
  }

  /** Asks the parent of a zone for the DS of its keys. */
  async check(zone: Zone, keys: readonly DnssecKey[]): Promise<ParentNews> {
    const { ask, nowMicros } = this.#options
    const { name, projectId, dnssec } = zone
    const answer = await this.#running.run(projectId, () => ask(name, dnssec?.parentServers))
    const now = nowMicros()
    const before = this.#reports.get(zone.id)
    const waiting = keys.filter(({ ds }) => isUnfollowed(ds))
    const followed = waiting.filter(key => this.#isFollowed(name, key, answer.servers))
    const seenAt = new Map(
      followed.map(key => [stateOf(key), before?.seenAt.get(stateOf(key)) ?? now]),
    )
    const ttls = answer.servers.flatMap(server => server.ttlSeconds ?? [])
    const ttlSeconds = ttls.length === 0 ? before?.ttlSeconds : Math.max(...ttls)
    this.#reports.set(zone.id, { ...answer, checkedAt: now, seenAt, ttlSeconds })
    void this.#notify(zone, waiting.filter(key => !followed.includes(key)).map(stateOf))
    const confirmed = followed.filter(key => {
      return now - (seenAt.get(stateOf(key)) ?? now) >= confirmedAfterMicros
    })
    const returned = keys.filter(key => {
      return (
        isDsLeaving(key) && key.ds.until !== null && this.#isAnywhere(name, key, answer.servers)
      )
    })
    return {
      keyIds: confirmed.map(({ id }) => id),
      returnedIds: returned.map(({ id }) => id),
      ttlSeconds,
    }
  }

  /** Asks the parent of a zone for the DS of keys that have none as far as known, and returns those that have. */
  async withEarlyDs(zone: Zone, keys: readonly DnssecKey[]): Promise<readonly DnssecKey[]> {
    const hidden = keys.filter(({ ds }) => ds?.state === 'HIDDEN')
    if (hidden.length === 0) return []
    const { name, projectId, dnssec } = zone
    const ask = () => this.#options.ask(name, dnssec?.parentServers)
    const { servers } = await this.#running.run(projectId, ask)
    return hidden.filter(key => this.#isAnywhere(name, key, servers))
  }

  /** Notifies the parent of changes that it has not followed: each at once, and again until it has. */
  async #notify({ id, name, projectId, dnssec }: Zone, changes: readonly string[]): Promise<void> {
    const { notify, nowMicros } = this.#options
    const now = nowMicros()
    const of = changes.join()
    const known = this.#notifications.get(id)
    const before = known?.of === of ? known : undefined
    if (of === '' || (before !== undefined && now < before.nextAt)) return
    if (!this.#notifying.accepts(projectId)) return
    const count = (before?.count ?? 0) + 1
    const soon = now + Math.min(firstPauseMicros * 2 ** (count - 1), longPauseMicros)
    const { last } = known ?? {}
    this.#notifications.set(id, { of, count, nextAt: soon, last })
    const targets = await this.#notifying.run(projectId, () => notify(name, dnssec?.parentServers))
    if (this.#notifications.get(id)?.of !== of) return
    const isHeard = targets.every(({ isAcknowledged }) => isAcknowledged)
    const nextAt = isHeard ? now + longPauseMicros : soon
    this.#notifications.set(id, { of, count, nextAt, last: { at: now, targets } })
  }

  /** How many servers have the DS of a key as it should be. */
  followersOf({ id, name }: Zone, key: DnssecKey): { readonly some: number; readonly all: number } {
    const servers = this.#reports.get(id)?.servers ?? []
    const some = servers.filter(server => this.#isFollowed(name, key, [server])).length
    return { some, all: servers.length }
  }

  /** DS records at the parent that belong to no key of the zone. */
  foreignDs({ id, name }: Zone, keys: readonly DnssecKey[]): readonly string[] {
    const own = keys.flatMap(key => dsOf(name, this.#options.keyOf(key)))
    const seen = this.#reports.get(id)?.servers.flatMap(({ ds }) => ds) ?? []
    return [...new Set(seen)].filter(text => !own.includes(text))
  }

  /** Whether all servers have answered, and all have a DS of the key if it wants one, or none has if not. */
  #isFollowed(name: string, row: DnssecKey, servers: readonly ParentServer[]): boolean {
    if (servers.length === 0 || servers.some(({ error }) => error !== null)) return false
    if (!wantsDs(row)) return !this.#isAnywhere(name, row, servers)
    return servers.every(server => this.#isAnywhere(name, row, [server]))
  }

  #isAnywhere(name: string, row: DnssecKey, servers: readonly ParentServer[]): boolean {
    const own = dsOf(name, this.#options.keyOf(row))
    return servers.some(({ ds }) => ds.some(text => own.includes(text)))
  }
}

function dsOf(name: string, key: ZoneKey): string[] {
  const digests = Object.keys(dsDigests).map(Number) as DsDigest[]
  return digests.map(digest => key.dsText(parseName(name), digest))
}

/** What was seen counts only for one change of a DS. */
function stateOf({ id, ds }: DnssecKey): string {
  return `${id} ${ds?.state} ${ds?.since}`
}
