import type { NamedBy } from '../../model/outbound-address.ts'

/** How long the addresses of a name are believed: a flood of NOTIFY must not become one of questions. */
const lifeMs = 10_000
/** Names that are remembered at once. */
const maxHosts = 1000

export type HostAddressesOptions = {
  /** Returns a host name's addresses as they would be connected to; may reject where it has none. */
  readonly resolveHost: (host: string, namedBy: NamedBy) => Promise<readonly string[]>
  /** For how long something was, so not the time of day. */
  readonly nowMs?: () => number
}

type Resolved = { readonly addresses: Promise<readonly string[]>; readonly untilMs: number }

/** The addresses of host names that others have written, each name looked up now and then. */
export class HostAddresses {
  readonly #options: HostAddressesOptions
  readonly #nowMs: () => number
  readonly #resolvedByHost = new Map<string, Resolved>()

  constructor(options: HostAddressesOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** Returns where connections to the name may go; nowhere where it leads nowhere. Never rejects. */
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
