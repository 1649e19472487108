import { isIPv4, isIPv6 } from 'node:net'
import type { Actor } from '../actor.ts'
import type { Network } from './outbound-address.ts'
import type { Stamped } from './stamped.ts'

/** Has queries written to the query log, for some time. It stays, as a record of who did so, when its time is over. */
export type QueryLogRule = Stamped & {
  /** Null for all zones, and for what is in none. */
  readonly zoneId: string | null
  /** As it was at the begin. */
  readonly zoneName: string | null
  /** An address or a network, `192.0.2.0/24`; null for all clients. */
  readonly client: string | null
  /** One in so many is written by each answering thread. */
  readonly sampledOf: number
  readonly description: string | null
  /** Microseconds since 1970. */
  readonly endsAt: number
  readonly startedBy: Actor
  /** Who has ended it before its time. */
  readonly endedBy: Actor | null
}

/** What is said of a new one. */
export type QueryLogRuleDraft = Pick<
  QueryLogRule,
  'zoneId' | 'client' | 'sampledOf' | 'description'
> & { readonly seconds: number }

/** Parses an address or a network; undefined where it is neither. Bits behind the prefix do not matter. */
export function parseClientNetwork(text: string): Network | undefined {
  const [address = '', prefix, ...rest] = text.split('/')
  const maxBits = isIPv4(address) ? 32 : isIPv6(address) && !address.includes('%') ? 128 : -1
  const bits = prefix === undefined ? maxBits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  return rest.length > 0 || bits < 0 || bits > maxBits ? undefined : { address, bits }
}
