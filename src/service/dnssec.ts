import { parseName } from '../dns/name.ts'
import { newPrivateKey, ZoneKey } from '../dnssec/key.ts'
import { dnskeyTtlSeconds } from '../dnssec/policy.ts'
import type { KeySealing } from '../dnssec/sealed-key.ts'
import { ApiError } from '../errors.ts'
import type { Caller } from '../identity/caller.ts'
import { boundOf, type DnssecKey } from '../model/dnssec-key.ts'
import { quote } from '../model/quote.ts'
import { isWrittenElsewhere, type Zone } from '../model/zone.ts'
import { keyOf } from '../store/indexes.ts'
import type { Store, StoreReader, Transaction } from '../store/store.ts'
import { getChangeableZone, getZone } from './zone-access.ts'
import { advanceZone, changedRow, newStamp } from './zone-rows.ts'
import { undelegatedChildren } from './zone-tree.ts'

export type DnssecOptions = {
  readonly store: Store
  readonly sealing: KeySealing
  readonly signed: {
    onSigned: ((zoneId: string) => void) | undefined
    renewSignatures(): Promise<string[]>
    keyOf(row: DnssecKey): ZoneKey
  }
  /** Told when what nobody waits for fails; it is taken up again later. */
  readonly onFailed: (zoneId: string, error: unknown) => void
}

/** What a zone says of its signatures. */
export type DnssecState = {
  readonly zone: Zone
  readonly status: 'UNSIGNED' | 'SIGNING' | 'SIGNED' | 'PRESIGNED'
  readonly keys: readonly {
    readonly row: DnssecKey
    readonly dnskey: string
    readonly ds: string
  }[]
  /** When no cache can have the zone without its key any more, in microseconds; null while that is not known. */
  readonly dsFrom: number | null
}

/** Types that the server makes at the apex of a zone that it signs. */
const keyTypes = ['DNSKEY', 'CDS', 'CDNSKEY'] as const
/** What servers and caches take to follow, beyond TTLs. */
const propagationSeconds = 2 * 3600

/** Zones that are signed here, by one key each. */
export class Dnssec {
  readonly #options: DnssecOptions

  constructor(options: DnssecOptions) {
    this.#options = options
    options.signed.onSigned = zoneId => void this.#noteSigned(zoneId)
  }

  /** @throws ApiError zone_not_found */
  get(caller: Caller, zoneId: string): DnssecState {
    return this.#stateOf(getZone(this.#options.store, caller, zoneId))
  }

  /** Has a zone signed; does nothing to one that is.
   *  @throws ApiError zone_not_found, forbidden; bad_request it is a SECONDARY, was signed elsewhere, or has what would not
   *  be valid if it were signed */
  async enable(caller: Caller, zoneId: string): Promise<DnssecState> {
    const { store } = this.#options
    await store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      if (zone.dnssec !== undefined) return
      requireSignable(tx, zone)
      const stamp = newStamp(tx)
      tx.put('dnssecKeys', { ...stamp, ...this.#newKey(zone, stamp.id) })
      tx.put('zones', changedRow(tx, zone, { dnssec: { policy: 'default', signedAt: null } }))
    })
    return this.get(caller, zoneId)
  }

  /** Takes the signatures of a zone away, and its key.
   *  @param force although its parent may have a DS, with which nobody who validates would resolve it any more
   *  @throws ApiError zone_not_found, forbidden; bad_request it is not to be forced */
  async disable(caller: Caller, zoneId: string, force: boolean): Promise<void> {
    await this.#options.store.commit(tx => {
      const zone = getChangeableZone(tx, caller, zoneId)
      const { dnssec, ...unsigned } = zone
      if (dnssec === undefined) return
      if (dnssec.signedAt !== null && !force) {
        const message =
          'Have the DS records of the zone removed from its parent, and wait until their TTL is over: with them nobody ' +
          'who validates would resolve an unsigned zone. Then send this again with force=true'
        throw new ApiError('bad_request', message)
      }
      for (const { id } of [...tx.list('dnssecKeys', 'byZone', zoneId)]) tx.delete('dnssecKeys', id)
      advanceZone(tx, unsigned)
    })
  }

  /** Renews the signatures that end soon, and takes up what an earlier run has left half done. */
  async renew(): Promise<void> {
    const { store, signed } = this.#options
    for (const id of await signed.renewSignatures()) {
      await store.commit(tx => {
        const zone = tx.get('zones', id)
        // Secondaries only see with another serial that signatures are others.
        if (zone?.dnssec?.signedAt) advanceZone(tx, zone)
      })
    }
  }

  async #noteSigned(zoneId: string): Promise<void> {
    try {
      await this.#options.store.commit(tx => {
        const zone = tx.get('zones', zoneId)
        if (zone?.dnssec === undefined || zone.isDeleting) return
        advanceZone(tx, zone, { dnssec: { ...zone.dnssec, signedAt: tx.atMicros } })
      })
    } catch (error) {
      this.#options.onFailed(zoneId, error)
    }
  }

  #newKey(zone: Zone, id: string): Omit<DnssecKey, 'id' | 'version' | 'createdAt' | 'updatedAt'> {
    const pkcs8 = newPrivateKey()
    const { tag } = new ZoneKey(pkcs8)
    const privateKey = this.#options.sealing.seal(pkcs8, boundOf({ id, zoneId: zone.id }))
    return { zoneId: zone.id, algorithm: 13, tag, privateKey }
  }

  #stateOf(zone: Zone): DnssecState {
    const { store, signed } = this.#options
    const apex = parseName(zone.name)
    const keys = [...store.list('dnssecKeys', 'byZone', zone.id)].map(row => {
      const key = signed.keyOf(row)
      return { row, dnskey: key.dnskeyText(), ds: key.dsText(apex) }
    })
    return { zone, status: statusOf(store, zone), keys, dsFrom: dsFromOf(zone) }
  }
}

function statusOf(reader: StoreReader, zone: Zone): DnssecState['status'] {
  if (zone.dnssec !== undefined) return zone.dnssec.signedAt === null ? 'SIGNING' : 'SIGNED'
  if (!isWrittenElsewhere(zone)) return 'UNSIGNED'
  return hasAtApex(reader, zone, 'DNSKEY') ? 'PRESIGNED' : 'UNSIGNED'
}

/** Until then a cache may have records of the zone without a signature, or know that there is no DNSKEY. */
function dsFromOf({ dnssec, ttlSeconds, soaTimers }: Zone): number | null {
  if (dnssec === undefined || dnssec.signedAt === null) return null
  const longest = Math.max(ttlSeconds ?? 0, soaTimers.minimumSeconds, dnskeyTtlSeconds)
  return dnssec.signedAt + (longest + propagationSeconds) * 1_000_000
}

/** @throws ApiError bad_request */
function requireSignable(tx: Transaction, zone: Zone): void {
  if (isWrittenElsewhere(zone)) {
    const message = 'The content of the zone is written elsewhere: it is to be signed there'
    throw new ApiError('bad_request', message)
  }
  for (const type of keyTypes) {
    if (!hasAtApex(tx, zone, type)) continue
    const message = `The zone has ${type} records of its own: delete them, the server makes those of its key`
    throw new ApiError('bad_request', message)
  }
  const children = undelegatedChildren(tx, zone)
  if (children.length === 0) return
  const named = children.slice(0, 5).map(({ name }) => quote(name))
  const message =
    'A signed zone proves that names without records do not exist, and there are zones below it that it does not ' +
    `delegate: create NS recordsets in it for ${named.join(', ')}`
  throw new ApiError('bad_request', message)
}

function hasAtApex(reader: StoreReader, { id, name }: Zone, type: string): boolean {
  const key = keyOf(id, name.toLowerCase(), type)
  return reader.find('recordsets', 'byNameAndType', key) !== undefined
}
