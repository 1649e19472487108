import { isIP } from 'node:net'
import { formatIpv6, parseIpv6 } from '../../dns/rdata/fields/ipv6.ts'
import { parseMaster } from '../../model/masters.ts'
import { namerOf, type Zone } from '../../model/zone.ts'
import type { Store } from '../../store/store.ts'
import { transferKeyOf } from '../rules/transfer-policy.ts'
import type { HostAddresses } from '../targets/host-addresses.ts'
import type { Secondaries } from './secondaries.ts'

type NotifyReceiverOptions = {
  readonly store: Store
  readonly secondaries: Pick<Secondaries, 'refreshNow'>
  readonly hosts: HostAddresses
}

/** Refreshes SECONDARY zones when a master sends NOTIFY (RFC 1996 section 4.7). A NOTIFY that neither comes from a master's
 *  address nor is signed with the zone's key is ignored (section 3.10). The content of any NOTIFY is ignored too: the masters
 *  are asked. */
export class NotifyReceiver {
  readonly #options: NotifyReceiverOptions

  constructor(options: NotifyReceiverOptions) {
    this.#options = options
  }

  /** Refreshes the zones of this name, in any pool, that have a master at this address, or whose transfer key has this id.
   *  Resolves before they are refreshed, with whether there are any; never rejects.
   *  @param zoneName in lower case */
  async notified(zoneName: string, address: string, keyId?: string): Promise<boolean> {
    const { store, secondaries } = this.#options
    // A copy that cannot be stored need not be fetched.
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

  /** A master may be a host name, which is connected to at any address it resolves to. */
  async #isNamedMasterAt(zone: Zone, value: string): Promise<boolean> {
    for (const master of zone.masters) {
      const host = parseMaster(master)?.host
      if (host === undefined || isIP(host) !== 0) continue
      const addresses = await this.#options.hosts.of(host, namerOf(zone))
      if (addresses.some(address => addressValue(address) === value)) return true
    }
    return false
  }
}

function isSecondary({ type, isDeleting }: Zone): boolean {
  return type === 'SECONDARY' && !isDeleting
}

/** Ports do not matter: masters send from any free port. */
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
