import type { NamedBy } from '../../model/outbound-address.ts'

/** How long the addresses of a name are kept: a flood of NOTIFY must not become one of lookups. */
const lifeMs = 10_000
/** The most names remembered. */
const maxHosts = 1000

type HostAddressesOptions = {
  /** Returns the addresses that connections to a host name would use; may reject where it has none. */
  readonly resolveHost: (host: string, namedBy: NamedBy) => Promise<readonly string[]>
  /** A clock for durations, not the time of day. */
  readonly nowMs?: () => number
}

type Resolved = { readonly addresses: Promise<readonly string[]>; readonly untilMs: number }

/** The addresses of host names that users have set, with each lookup cached for a while. */
export class HostAddresses {
  readonly #options: HostAddressesOptions
  readonly #nowMs: () => number
  readonly #resolvedByHost = new Map<string, Resolved>()

  constructor(options: HostAddressesOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** Returns the addresses that connections to the name may use; none where it does not resolve. Never rejects. */
  of(name: string, namedBy: NamedBy): Promise<readonly string[]> {
    const host = name.toLowerCase()
    const nowMs = this.#nowMs()
    const key = `${namedBy} ${host}`
    const known = this.#resolvedByHost.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.addresses
    if (this.#resolvedByHost.size >= maxHosts) this.#resolvedByHost.clear()
    const addresses = this.#options.resolveHost(host, namedBy).catch(() => [])
    this.#resolvedByHost.set(key, { addresses, untilMs: nowMs + lifeMs })
    return addresses
  }
}
