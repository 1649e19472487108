import { isIP } from 'node:net'
import type { TsigSecret } from '../../dns/tsig-mac.ts'
import { type Endpoint, parseMaster } from '../../model/masters.ts'
import type { NamedBy } from '../../model/outbound-address.ts'
import { isSameServer, type Pool } from '../../model/pool.ts'
import { notifiedServersOf } from '../../model/pool-attributes.ts'
import { tsigNameKey } from '../../model/tsig-key.ts'
import { tsigSecretOf } from '../../model/tsig-secret.ts'
import type { Zone } from '../../model/zone.ts'
import { enclosingNames } from '../../model/zone-name.ts'
import { keyOf } from '../../store/indexes.ts'
import type { StoreReader } from '../../store/store.ts'
import { findAtApex, findRecordsetOf } from '../rules/find-recordset.ts'
import { isKeyFor } from '../rules/transfer-policy.ts'
import type { HostAddresses } from './host-addresses.ts'

// The servers that are notified of a zone (RFC 1996 section 2.1): those that its pool names, and the other name servers of the
// zone itself. In a SECONDARY zone these come from its master and are not trusted: only a few per zone are notified, and only
// at addresses that a project may have this server connect to.

/** A server to be notified. */
export type NotifyTarget = Endpoint & {
  /** Who has written its address. */
  readonly namedBy: NamedBy
  /** What its NOTIFY is signed with. */
  readonly key?: TsigSecret | undefined
}

/** The most NS of one zone that are notified, and the most addresses of each. */
const maxNameServers = 13
const maxAddresses = 4

/** The pool attribute with which an operator makes only `also_notify` count. */
const notifyNameServersAttribute = 'notify_ns'

/** Returns the servers that the pool of a zone names; those whose key is missing are left out. */
export function namedTargets(
  reader: StoreReader,
  zone: Zone,
  pool: Pool,
): { readonly targets: readonly NotifyTarget[]; readonly withoutKey: readonly Endpoint[] } {
  const targets: NotifyTarget[] = []
  const withoutKey: Endpoint[] = []
  for (const { host, port, keyName } of notifiedServersOf(pool)) {
    const row = keyName && reader.find('tsigKeys', 'byName', tsigNameKey(keyName))
    const key = row && isKeyFor(row, zone) ? tsigSecretOf(row) : undefined
    if (keyName !== undefined && key === undefined) withoutKey.push({ host, port })
    else targets.push({ host, port, key, namedBy: 'operator' })
  }
  return { targets, withoutKey }
}

/** Returns the names of a zone's name servers other than its primary and its pool's. A PRIMARY zone has none, as its name
 *  servers are its pool's. */
export function otherNameServers(reader: StoreReader, zone: Zone, pool: Pool): readonly string[] {
  if (zone.type === 'PRIMARY' || pool.attributes[notifyNameServersAttribute] === 'off') return []
  const recordsOf = (type: string) => findAtApex(reader, zone, type)?.records ?? []
  const [soa = ''] = recordsOf('SOA')
  const [primary = ''] = soa.split(' ')
  const known = [{ hostname: primary }, ...pool.nsRecords]
  return recordsOf('NS')
    .filter(hostname => !known.some(server => isSameServer(server, { hostname })))
    .slice(0, maxNameServers)
}

/** Returns the addresses of such name servers, except masters and servers that the pool names. Addresses stored here are
 *  preferred to a DNS lookup. */
export async function nameServerTargets(
  reader: StoreReader,
  {
    zone,
    pool,
    hosts,
  }: { readonly zone: Zone; readonly pool: Pool; readonly hosts: HostAddresses },
): Promise<readonly NotifyTarget[]> {
  const known = new Set([
    ...notifiedServersOf(pool).map(({ host }) => host),
    ...zone.masters.flatMap(master => parseMaster(master)?.host ?? []),
  ])
  const found = await Promise.all(
    otherNameServers(reader, zone, pool).map(async name => {
      const stored = storedAddresses(reader, zone.poolId, name)
      const addresses = stored.length > 0 ? stored : await hosts.of(name, 'project')
      return addresses.slice(0, maxAddresses)
    }),
  )
  return [...new Set(found.flat())]
    .filter(address => isIP(address) !== 0 && !known.has(address))
    .map(host => ({ host, port: 53, namedBy: 'project' }))
}

/** The addresses that a zone of the same pool has for a name. */
export function storedAddresses(
  reader: StoreReader,
  poolId: string,
  name: string,
): readonly string[] {
  const lowerName = name.toLowerCase()
  for (const apex of [lowerName, ...enclosingNames(lowerName)]) {
    const zone = reader.find('zones', 'byName', keyOf(poolId, apex))
    if (zone === undefined) continue
    return ['A', 'AAAA'].flatMap(
      type => findRecordsetOf(reader, zone, { name, type })?.records ?? [],
    )
  }
  return []
}
