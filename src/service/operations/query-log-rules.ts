import { currentActor } from '../../actor.ts'
import type { Clock } from '../../clock.ts'
import { ApiError, requireFound } from '../../errors.ts'
import { parseNetwork } from '../../model/network.ts'
import type { QueryLogRule, QueryLogRuleDraft } from '../../model/query-log-rule.ts'
import { quote } from '../../model/quote.ts'
import { changedRow, newStamp } from '../../model/stamped.ts'
import { everything } from '../../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../../store/store.ts'

/** The most rules in force at a time; each is checked for every query. */
const maxActive = 15
/** The most expired rules that are kept; the oldest are removed first. */
const maxOver = 200
const microsPerSecond = 1_000_000

/** Rules of the query log, including expired ones. */
export class QueryLogRules {
  /** Called after each change. */
  onChanged: () => void = () => undefined
  readonly #store: Store
  readonly #clock: Clock
  readonly #hasLog: boolean

  /** @param hasLog whether queries are written anywhere */
  constructor(store: Store, clock: Clock, hasLog: boolean) {
    this.#store = store
    this.#clock = clock
    this.#hasLog = hasLog
  }

  /** Whether a rule is in force. */
  isActive({ endsAt, endedBy }: QueryLogRule): boolean {
    // Commit times can be some microseconds ahead of the clock.
    return endedBy === null && endsAt > this.#clock.nowMillis() * 1000
  }

  /** The newest first. */
  list(): readonly QueryLogRule[] {
    return allOf(this.#store)
  }

  /** The rules in force. */
  active(): readonly QueryLogRule[] {
    return allOf(this.#store).filter(row => this.isActive(row))
  }

  /** @throws ApiError not_found */
  get(id: string): QueryLogRule {
    return ruleOf(this.#store, id)
  }

  /** Starts writing queries.
   *  @throws ApiError bad_request there is no query log, or the client is no network; zone_not_found; over_quota there are
   *    as many rules as there may be at a time */
  async start({ seconds, ...draft }: QueryLogRuleDraft): Promise<QueryLogRule> {
    const { zoneId, client } = draft
    if (!this.#hasLog) {
      const setting = 'ZONEWRIGHT_QUERY_LOG or ZONEWRIGHT_DNSTAP'
      throw new ApiError('bad_request', `Queries are written nowhere here: set ${setting}`)
    }
    if (client !== null && parseNetwork(client) === undefined)
      throw new ApiError('bad_request', `client is no address or network: ${quote(client)}`)
    const started = await this.#store.commit(tx => {
      const zone =
        zoneId === null ? undefined : requireFound(tx.get('zones', zoneId), 'zone_not_found')
      const others = allOf(tx)
      if (others.filter(({ endsAt }) => endsAt > tx.atMicros).length >= maxActive)
        throw new ApiError('over_quota', `${maxActive} rules are in force at most`)
      forgetOldest(tx, others)
      const row: QueryLogRule = {
        ...newStamp(tx),
        ...draft,
        zoneName: zone?.name ?? null,
        endsAt: tx.atMicros + seconds * microsPerSecond,
        startedBy: currentActor(),
        endedBy: null,
      }
      return tx.put('queryLogRules', row)
    })
    this.onChanged()
    return started
  }

  /** Ends a rule now; does nothing where its time is over.
   *  @throws ApiError not_found */
  async end(id: string): Promise<void> {
    await this.#store.commit(tx => {
      const row = ruleOf(tx, id)
      if (row.endsAt <= tx.atMicros) return
      const changes = { endsAt: tx.atMicros, endedBy: currentActor() }
      tx.put('queryLogRules', changedRow(tx, row, changes))
    })
    this.onChanged()
  }
}

function allOf(reader: StoreReader): readonly QueryLogRule[] {
  return [...reader.list('queryLogRules', 'all', everything)].sort(
    (one, other) => other.createdAt - one.createdAt,
  )
}

function ruleOf(reader: StoreReader, id: string): QueryLogRule {
  const row = reader.get('queryLogRules', id)
  if (row === undefined) throw new ApiError('not_found', 'Could not find the rule of the query log')
  return row
}

function forgetOldest(tx: Transaction, newestFirst: readonly QueryLogRule[]): void {
  const over = newestFirst.filter(({ endsAt }) => endsAt <= tx.atMicros)
  for (const { id } of over.slice(maxOver - 1)) tx.delete('queryLogRules', id)
}
