import { isIP } from 'node:net'
import type { TsigSecret } from '../../dns/tsig-mac.ts'
import type { Pool } from '../../model/pool.ts'
import { notifiedServersOf } from '../../model/pool-attributes.ts'
import { quote } from '../../model/quote.ts'
import {
  isPeer,
  type PeerClient,
  type TransferPeers,
  transferKeyAttribute,
  transferPeersOf,
} from '../../model/transfer-peers.ts'
import { type TsigKey, tsigNameKey } from '../../model/tsig-key.ts'
import { tsigSecretOf } from '../../model/tsig-secret.ts'
import type { Zone } from '../../model/zone.ts'
import type { StoreReader } from '../../store/store.ts'

/** A client that requests a zone. */
export type TransferClient = PeerClient & {
  /** The id of the TSIG key that signed the request. */
  readonly keyId: string | undefined
}

/** Whether a client may transfer a zone: only one that its pool or the zone itself names by `allow_transfer`, or
 *  that the pool notifies. */
export function mayTransfer(store: StoreReader, zone: Zone, client: TransferClient): boolean {
  const pool = store.get('pools', zone.poolId)
  const key = client.keyId === undefined ? undefined : store.get('tsigKeys', client.keyId)
  return [alsoNotifiedBy(pool), pool?.attributes ?? {}, zone.attributes]
    .map(transferPeersOf)
    .some(peers => isPeer(peers, client) || (key && hasKey(peers, key, zone)))
}

/** The key that signs a SECONDARY's requests to its masters, or why it cannot send any; neither where they are
 *  unsigned. */
export function transferKeyOf(
  store: StoreReader,
  zone: Zone,
): { readonly key?: TsigSecret; readonly problem?: string } {
  const name = zone.attributes[transferKeyAttribute]
  if (name === undefined || name === '') return {}
  const row = store.find('tsigKeys', 'byName', tsigNameKey(name))
  const key = row && isKeyFor(row, zone) ? tsigSecretOf(row) : undefined
  return key ? { key } : { problem: `there is no TSIG key ${quote(name)} for the zone` }
}

/** Whether a key is for this zone itself, the catalog that lists it, or its pool. */
export function isKeyFor({ scope, resourceId }: TsigKey, { id, poolId, member }: Zone): boolean {
  return scope === 'ZONE' ? [id, member?.catalogId].includes(resourceId) : resourceId === poolId
}

function hasKey({ keyNames }: TransferPeers, key: TsigKey, zone: Zone): boolean {
  return keyNames.has(tsigNameKey(key.name)) && isKeyFor(key, zone)
}

/** The servers that the pool notifies, as peers that may have its zones: by key where they have one, otherwise by
 *  address. Host names are left out, as their addresses may change. */
function alsoNotifiedBy(pool: Pool | undefined): Readonly<Record<string, string>> {
  const peers = (pool ? notifiedServersOf(pool) : []).map(({ host, keyName }) =>
    keyName === undefined ? host : `key:${keyName}`,
  )
  return { allow_transfer: peers.filter(peer => isKeyName(peer) || isIP(peer) !== 0).join(',') }
}

function isKeyName(peer: string): boolean {
  return peer.startsWith('key:')
}
