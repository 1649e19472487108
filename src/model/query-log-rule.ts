import { isIPv4, isIPv6 } from 'node:net'
import type { Actor } from '../actor.ts'
import type { Network } from './outbound-address.ts'
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

/** Parses an address or a network; undefined where it is neither. Bits after the prefix are ignored. */
export function parseClientNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const maxBits = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : -1
  const bits = prefix === undefined ? maxBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  return rest.length > 0 || bits < 0 || bits > maxBits ? undefined : { address, bits }
}
