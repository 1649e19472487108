import type { Actor } from '../actor.ts'
import type { Stamped } from './stamped.ts'

/** Selects queries that are written to the query log, for a limited time. It is kept afterwards, to show who started it. */
export type QueryLogRule = Stamped & {
  /** Null for all zones, and for names in no zone. */
  readonly zoneId: string | null
  /** The zone's name when the rule started. */
  readonly zoneName: string | null
  /** An address or a network, `192.0.2.0/24`; null for all clients. */
  readonly client: string | null
  /** Each answering thread writes one in this many queries. */
  readonly sampledOf: number
  readonly description: string | null
  /** Microseconds since 1970. */
  readonly endsAt: number
  readonly startedBy: Actor
  /** Who ended it early. */
  readonly endedBy: Actor | null
}

/** The fields of a new rule. */
export type QueryLogRuleDraft = Pick<
  QueryLogRule,
  'zoneId' | 'client' | 'sampledOf' | 'description'
> & { readonly seconds: number }
