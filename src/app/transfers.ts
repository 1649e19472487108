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
import { type HandedRequest, type Respond, unixSeconds } from '../transport/answer.ts'
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
  /** Counts of offers by content. */
  readonly counts = { zone: 0, difference: 0, soa: 0, refused: 0 }
  readonly #datagrams = new Semaphore(datagramLimits)
  #offers: Offers | undefined

  begin(parts: OutgoingParts): void {
    this.#offers = new Offers(parts)
  }

  /** Offers a zone that is answered from `zones`.
   *  @param stored its row, where that is known */
  async offer(
    zones: unknown,
    wanted: TransferWanted,
    stored = this.#offers?.find(zones, wanted.zone),
  ): Promise<TransferOffer> {
    const offer = (await this.#offers?.offer(stored, wanted)) ?? refused(rcodes.servFail)
    this.counts[contentOf(offer)] += 1
    return offer
  }

  /** Answers IXFR over UDP with a message; under too much load, with the SOA at most, and the client uses TCP. */
  async answerDatagram(zones: unknown, handed: HandedRequest, respond: Respond): Promise<void> {
    const offers = this.#offers
    if (offers === undefined) return respond(undefined)
    const zone = formatName(handed.apex)
    const stored = offers.find(zones, zone)
    const projectId = stored?.projectId
    const isSoaEnough = !this.#datagrams.accepts(projectId)
    const answer = async () => {
      const { serial, keyId, address, octets: request } = handed
      const wanted = { zone, serial, keyId, address, isDatagram: true, isSoaEnough }
      const offer = await this.offer(zones, wanted, stored)
      const newSigner = () => responseSigner(offers.store, { octets: request, keyId }, hmac)
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
  readonly store: Store
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
    this.store = store
    this.#parts = parts
    this.#versions = new ServedVersions({
      table,
      isPublishing: id => publisher.isPublishing(id),
    })
    this.#differences = new ZoneDifferences(store)
  }

  /** The zone of a name that is answered from `zones`, even if it is abandoned: other pools may have zones of that name. */
  find(zones: unknown, name: string): Zone | undefined {
    for (const index of ['byLowerName', 'abandonedByLowerName'] as const) {
      const found = [...this.store.list('zones', index, name)].find(
        ({ poolId }) => this.#parts.zonesOf(poolId) === zones,
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  async offer(stored: Zone | undefined, wanted: TransferWanted): Promise<TransferOffer> {
    const { publisher, zonesOf } = this.#parts
    if (stored === undefined) return refused(rcodes.notAuth)
    if (!mayTransfer(this.store, stored, wanted)) return refused(rcodes.refused)
    if (publisher.signed.isResigned(stored.id)) return refused(rcodes.servFail)
    const changes = wanted.serial === undefined ? undefined : await this.#changes(stored, wanted)
    const served = this.#servedOf(stored)
    if (served === undefined) return refused(rcodes.servFail)
    const expireSeconds = served.expireSeconds(unixSeconds())
    if (changes !== undefined) return { ...changes, expireSeconds }
    // There is no room for the zone.
    if (wanted.isDatagram) return refused(rcodes.servFail)
    const parties = [stored.projectId, clientOf(wanted.address)]
    const reading = { zoneId: stored.id, parties }
    const version = await this.#versions.read(served, zonesOf(stored.poolId), reading)
    if (publisher.signed.isResigned(stored.id)) {
      version.release()
      return refused(rcodes.servFail)
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
    if (this.store.shared !== undefined) return undefined
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

function refused(rcode: number): TransferOffer {
  return { kind: 'refused', rcode }
}

function contentOf(offer: TransferOffer): 'zone' | 'difference' | 'soa' | 'refused' {
  return offer.kind === 'records' ? offer.content : offer.kind
}
