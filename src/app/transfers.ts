import { clientOf } from '../client-of.ts'
import { rcodes, types } from '../dns/codes.ts'
import { formatName, parseName } from '../dns/name.ts'
import { isNewerSerial } from '../dns/serial.ts'
import { HeldOctets } from '../held-octets.ts'
import type { Zone } from '../model/zone.ts'
import type { Publisher } from '../publish/publisher.ts'
import { ServedVersions } from '../publish/served-versions.ts'
import { ZoneDifferences } from '../publish/zone-differences.ts'
import { Semaphore } from '../semaphore.ts'
import { responseSigner } from '../service/changes/response-signer.ts'
import { mayTransfer } from '../service/rules/transfer-policy.ts'
import type { Store } from '../store/store.ts'
import { type HandedRequest, unixSeconds } from '../transport/answer.ts'
import { datagramResponse } from '../transport/datagram-transfer.ts'
import { hmac } from '../transport/hmac.ts'
import {
  responseWithoutRecords,
  type TransferOffer,
  type TransferWanted,
} from '../transport/transfers.ts'
import { type DifferenceAnswer, soaOctets } from '../zone/difference.ts'
import type { TableZone } from '../zone/table/table-zone.ts'
import type { CommonParts } from './options.ts'

/** Offers a zone that is answered from `zones`. */
type OfferFrom = (zones: unknown, wanted: TransferWanted) => Promise<TransferOffer>

type OutgoingParts = Pick<CommonParts, 'store' | 'table' | 'zonesOf'> & {
  readonly publisher: Publisher
}

/** The most memory of differences that clients are slow to read, for each client and in all. Beyond it, a client is sent the whole
 *  zone, which takes no extra memory. */
const heldBounds = { each: 16 * 1024 * 1024, all: 64 * 1024 * 1024 }
/** The most octets of the log read for a difference that fits into a datagram, and so the cost of finding that it does not. */
const maxDatagramLoggedOctets = 32 * 1024
/** Of requests over UDP, by project: bounded, because source addresses can be forged. */
const datagramLimits = { maxRunning: 100, maxRunningPerKey: 25, maxWaiting: 0 }

/** Answers requests for zones; refuses them until there is a store that knows who may have them. */
export class OutgoingZones {
  #offer: OfferFrom = async () => ({ kind: 'refused', rcode: rcodes.servFail })
  /** Counts of offers by content. */
  readonly counts = { zone: 0, difference: 0, soa: 0, refused: 0 }

  readonly #datagrams = new Semaphore(datagramLimits)
  #store: Store | undefined

  readonly offer: OfferFrom = async (zones, wanted) => {
    const offer = await this.#offer(zones, wanted)
    this.counts[contentOf(offer)] += 1
    return offer
  }

  begin(parts: OutgoingParts): void {
    const offers = new Offers(parts)
    this.#offer = (zones, wanted) => offers.offer(zones, wanted)
    this.#store = parts.store
  }

  /** Answers IXFR over UDP with a message; under too much load, with the SOA at most, and the client uses TCP. */
  async answerDatagram(
    zones: unknown,
    handed: HandedRequest,
    respond: (response: Uint8Array) => void,
  ): Promise<void> {
    const store = this.#store
    if (store === undefined) return
    const zone = formatName(handed.apex)
    const projectId = storedZones(store, zone)[0]?.projectId
    const isSoaEnough = !this.#datagrams.accepts(projectId)
    const answer = async () => {
      const { serial, keyId, address, octets: request } = handed
      const wanted = { zone, serial, keyId, address, isDatagram: true, isSoaEnough }
      const offer = await this.offer(zones, wanted)
      const newSigner = () => responseSigner(store, { octets: request, keyId }, hmac)
      if (offer.kind !== 'records') {
        const rcode = offer.kind === 'refused' ? offer.rcode : rcodes.servFail
        respond(responseWithoutRecords({ octets: request, signer: newSigner() }, rcode))
        return
      }
      offer.release()
      respond(datagramResponse({ ...offer, request, newSigner }, unixSeconds()))
    }
    await (isSoaEnough ? answer() : this.#datagrams.run(projectId, answer))
  }
}

type Offered = Exclude<TransferOffer, { readonly kind: 'refused' }>

/** Chooses what is sent. */
class Offers {
  readonly #parts: OutgoingParts
  readonly #versions: ServedVersions
  readonly #differences: ZoneDifferences
  /** Differences are made one at a time, for projects in turn. */
  readonly #turns = new Semaphore({ maxRunning: 1 })
  /** Of many requests of a client, one at a time waits for the turn of its project. */
  readonly #clientTurns = new Semaphore({
    maxRunning: Number.POSITIVE_INFINITY,
    maxRunningPerKey: 1,
  })
  /** Differences that are being sent, by client. */
  readonly #heldOctets = new HeldOctets(heldBounds)

  constructor(parts: OutgoingParts) {
    const { table, publisher, store } = parts
    this.#parts = parts
    this.#versions = new ServedVersions({
      table,
      isPublishing: id => publisher.isPublishing(id),
    })
    this.#differences = new ZoneDifferences(store)
  }

  async offer(zones: unknown, wanted: TransferWanted): Promise<TransferOffer> {
    const { store, publisher, zonesOf } = this.#parts
    const stored = storedZones(store, wanted.zone).find(({ poolId }) => zonesOf(poolId) === zones)
    if (stored === undefined) return { kind: 'refused', rcode: rcodes.notAuth }
    if (!mayTransfer(store, stored, wanted)) return { kind: 'refused', rcode: rcodes.refused }
    if (publisher.signed.isResigned(stored.id)) return { kind: 'refused', rcode: rcodes.servFail }
    const changes = wanted.serial === undefined ? undefined : await this.#changes(stored, wanted)
    const served = this.#servedOf(stored)
    if (served === undefined) return { kind: 'refused', rcode: rcodes.servFail }
    const expireSeconds = served.expireSeconds(unixSeconds())
    if (changes !== undefined) return { ...changes, expireSeconds }
    // There is no room for the zone.
    if (wanted.isDatagram) return { kind: 'refused', rcode: rcodes.servFail }
    const parties = [stored.projectId, clientOf(wanted.address)]
    const reading = { zoneId: stored.id, parties }
    const version = await this.#versions.read(served, zonesOf(stored.poolId), reading)
    if (publisher.signed.isResigned(stored.id)) {
      version.release()
      return { kind: 'refused', rcode: rcodes.servFail }
    }
    return { kind: 'zone', ...version, expireSeconds }
  }

  /** The changes since the client's version (RFC 1995 sections 2 and 4); undefined where the whole zone is to be sent. */
  async #changes(stored: Zone, wanted: TransferWanted): Promise<Offered | undefined> {
    const { serial = 0, address, isDatagram = false, isSoaEnough = false } = wanted
    const served = this.#servedOf(stored)
    if (served === undefined) return undefined
    if (!isNewerSerial(served.serial, serial)) return this.#soa(stored, served, address)
    const answer = isSoaEnough ? undefined : await this.#differenceOf(stored, served, wanted)
    if (answer !== undefined) return this.#held(answer.octets, { address, content: 'difference' })
    return isDatagram ? this.#soa(stored, served, address) : undefined
  }

  #soa({ name }: Zone, served: TableZone, address: string): Offered | undefined {
    const owner = parseName(name)
    const soa = served.findRrset(owner, types.SOA)
    return soa && this.#held(soaOctets({ ...soa, owner }), { address, content: 'soa' })
  }

  async #differenceOf(
    stored: Zone,
    served: TableZone,
    { serial = 0, address, isDatagram }: TransferWanted,
  ): Promise<DifferenceAnswer | undefined> {
    if (stored.dnssec === undefined) {
      const maxOctets = isDatagram ? maxDatagramLoggedOctets : undefined
      return this.#clientTurns.run(clientOf(address), () =>
        this.#turns.run(stored.projectId, () => this.#differences.since(stored, serial, maxOctets)),
      )
    }
    // The store lacks the signatures that are made here. Each node makes its own, and the client may have another node's.
    if (this.#parts.store.shared !== undefined) return undefined
    const { history } = this.#parts.publisher.signed
    const answer = history.since(stored.id, serial, served.serial)
    return answer && answer.recordCount <= served.rrsetCount ? answer : undefined
  }

  #held(
    records: Uint8Array,
    { address, content }: { readonly address: string; readonly content: 'soa' | 'difference' },
  ): Offered | undefined {
    const held = this.#heldOctets.open(clientOf(address))
    if (!held.hold(records.length)) return undefined
    return { kind: 'records', content, records, release: held.release }
  }

  #servedOf({ poolId, name }: Zone): TableZone | undefined {
    const served = this.#parts.zonesOf(poolId).get(parseName(name))
    return served?.isExpired === false ? served : undefined
  }
}

/** The zones of a name in all pools, abandoned ones too. */
function storedZones(store: Store, zone: string): readonly Zone[] {
  return [
    ...store.list('zones', 'byLowerName', zone),
    ...store.list('zones', 'abandonedByLowerName', zone),
  ]
}

function contentOf(offer: TransferOffer): 'zone' | 'difference' | 'soa' | 'refused' {
  return offer.kind === 'records' ? offer.content : offer.kind
}
