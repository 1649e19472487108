import { isIP } from 'node:net'
import { formatIpv6, parseIpv6 } from '../dns/rdata/fields/ipv6.ts'
import { parseMaster } from '../model/masters.ts'
import type { NamedBy } from '../model/outbound-address.ts'
import { namerOf, type Zone } from '../model/zone.ts'
import type { Store } from '../store/store.ts'
import type { Secondaries } from './secondaries.ts'
import { transferKeyOf } from './transfer-policy.ts'

/** How long the addresses of a master's name are believed: a flood of NOTIFY must not become one of questions. */
const addressesLifeMs = 10_000
/** Names that are remembered at once; a NOTIFY only asks for names that are masters of its zone. */
const maxHosts = 1000

export type NotifyReceiverOptions = {
  readonly store: Store
  readonly secondaries: Pick<Secondaries, 'refreshNow'>
  /** Returns a host name's addresses as they would be connected to; may reject where it has none. */
  readonly resolveHost: (host: string, namedBy: NamedBy) => Promise<readonly string[]>
  /** For how long something was, so not the time of day. */
  readonly nowMs?: () => number
}

type Resolved = { readonly addresses: Promise<readonly string[]>; readonly untilMs: number }

/** Refreshes SECONDARY zones when a master sends NOTIFY (RFC 1996 section 4.7). One that comes from no master's address and
 *  is not signed with the zone's key is ignored (section 3.10), and so is what a NOTIFY says of the zone: the masters are
 *  asked. */
export class NotifyReceiver {
  readonly #options: NotifyReceiverOptions
  readonly #nowMs: () => number
  readonly #resolvedByHost = new Map<string, Resolved>()

  constructor(options: NotifyReceiverOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  /** Refreshes the zones of this name, in whichever pool, that have a master at this address, or whose masters are asked with the key of this id. Resolves, before they are refreshed, with whether there
   *  are any; never rejects.
   *  @param zoneName in lower case */
  async notified(zoneName: string, address: string, keyId?: string): Promise<boolean> {
    const { store, secondaries } = this.#options
    // What cannot be kept need not be fetched.
    if (store.readOnlyReason !== undefined) return false
    const value = addressValue(address)
    const zones = [...store.list('zones', 'byLowerName', zoneName)].filter(isSecondary)
    let isHeeded = false
    for (const zone of zones) {
      const { id, masters } = zone
      const isSigned = keyId !== undefined && transferKeyOf(store, zone).key?.id === keyId
      const isHeard =
        isSigned || isMasterAt(masters, value) || (await this.#isNamedMasterAt(zone, value))
      if (!isHeard) continue
      isHeeded = true
      void secondaries.refreshNow(id, 'notified')
    }
    return isHeeded
  }

  /** A master may be named, and is then connected to wherever its name leads. */
  async #isNamedMasterAt(zone: Zone, value: string): Promise<boolean> {
    for (const master of zone.masters) {
      const host = parseMaster(master)?.host
      if (host === undefined || isIP(host) !== 0) continue
      const addresses = await this.#addressesOf(host.toLowerCase(), namerOf(zone))
      if (addresses.some(address => addressValue(address) === value)) return true
    }
    return false
  }

  #addressesOf(host: string, namedBy: NamedBy): Promise<readonly string[]> {
    const nowMs = this.#nowMs()
    const key = `${namedBy} ${host}`
    const known = this.#resolvedByHost.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.addresses
    if (this.#resolvedByHost.size >= maxHosts) this.#resolvedByHost.clear()
    // A name that leads nowhere is nobody's address.
    const addresses = this.#options.resolveHost(host, namedBy).catch(() => [])
    this.#resolvedByHost.set(key, { addresses, untilMs: nowMs + addressesLifeMs })
    return addresses
  }
}

function isSecondary({ type, isDeleting }: Zone): boolean {
  return type === 'SECONDARY' && !isDeleting
}

/** Ports do not matter: masters send from whichever they have free. */
function isMasterAt(masters: readonly string[], value: string): boolean {
  return masters.some(master => {
    const host = parseMaster(master)?.host
    return host !== undefined && isIP(host) !== 0 && addressValue(host) === value
  })
}

/** An address as text that is the same for all its spellings, IPv4-mapped ones included. A zone id is left out: masters
 *  have none. */
function addressValue(address: string): string {
  const [literal = ''] = address.split('%')
  const octets = parseIpv6(literal)
  return octets === undefined ? literal : formatIpv6(octets).replace(/^::ffff:(?=.*\.)/, '')
}
