import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatName, lowerCaseName, parseName } from '../../src/dns/name.ts'
import type { Transport } from '../../src/nameserver/request.ts'
import { maxBatchRequests } from '../../src/nameserver/request-batch.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { Counters, readerCounts, tcpReaderCounts } from '../../src/zone/table/counters.ts'
import type { ZoneTableHandle } from '../../src/zone/table/handle.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import { replyFrom } from '../helpers/ask.ts'
import { serverHost, serverSettings } from '../helpers/asked-server.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { damagedRequest, goodRequests } from '../helpers/hostile-packets.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'
import { apexes, randomQuery, randomRrset, randomSoa } from '../helpers/random-zones.ts'
import { type SigningOptions, signZone } from '../helpers/sign-zone.ts'
import { compileZone } from '../helpers/zone-image/compile-zone.ts'
import type { ZoneImage } from '../helpers/zone-image/image.ts'
import { ZoneSet } from '../helpers/zone-image/zone-set.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// Two ways from a request to its response: by objects over the object image, which the scenarios and the
// conformance tests and other servers have judged, and in place over shared memory. The octets must be the same.

const setCount = 10 * depth
const batchesPerSet = 140
const signedSetCount = 10 * depth

/** The same zones twice. */
type Twins = { readonly images: ZoneSet<ZoneImage>; readonly target: TargetZones }

type Asked = { readonly request: Uint8Array; readonly transport: Transport }

class Answerers {
  readonly #twins: Twins
  readonly #responder: Responder
  readonly #buffer = new Uint8Array(0xffff)
  readonly #rooms = { udp: new Uint8Array(1232), tcp: new Uint8Array(0xffff) }

  constructor(twins: Twins, responder: Responder) {
    this.#twins = twins
    this.#responder = responder
  }

  /** Asks both, the responder all in one batch, and throws where they differ. */
  compare(asked: readonly Asked[]): void {
    const responder = this.#responder
    responder.enter()
    asked.forEach(({ request, transport }, i) => {
      const padded = new Uint8Array(request.length + 7).fill(0xee)
      padded.set(request)
      responder.take(i, padded, request.length, transport)
    })
    responder.prefetch(asked.length)
    for (const [i, each] of asked.entries()) {
      const room = this.#rooms[each.transport]
      const octets = responder.respond(i, room)
      this.#requireWanted(each, octets === 0 ? undefined : room.subarray(0, octets))
    }
    responder.leave()
  }

  #requireWanted({ request, transport }: Asked, found: Uint8Array | undefined): void {
    const { images: zones } = this.#twins
    const wanted = processQuery(request, { zones, transport, buffer: this.#buffer, reportDefect })
    if (hex(found) === hex(wanted)) return
    throw new Error(
      `${transport} ${hex(request)}\n${described(found)}\nexpected\n${described(wanted)}`,
    )
  }
}

t.test('any zones, any changes, any query: the octets of the oracle', async t => {
  let comparedCount = 0
  const table = openTable()
  const target = table.addTarget()
  const { handle } = table.readers.open(target)
  const responder = openServer(structuredClone(handle))
  for (let seed = 1; seed <= setCount; seed += 1) {
    const dice = new Dice(seed)
    const twins = { images: new ZoneSet<ZoneImage>(), target }
    for (const apex of apexes.filter((_, i) => i % 2 === seed % 2 || dice.below(3) === 0)) {
      const rrsets = contents(dice, apex)
      twins.images.publish(compileZone(parseName(apex), rrsets))
      target.publish(createZone(table, rrsets))
    }
    const answerers = new Answerers(twins, responder)
    for (let round = 0; round < batchesPerSet; round += 1) {
      const asked = askedBy(dice, () => randomQuery(dice))
      answerers.compare(asked)
      comparedCount += asked.length
      if (dice.below(3) === 0) change(twins, dice)
    }
    for (const { apex } of twins.images) target.withdraw(apex)
    table.reclaim(10_000)
  }
  const counters = new Counters(handle.counters)
  const ofBoth = (index: number) => counters.get(index) + counters.get(tcpReaderCounts + index)
  const answered = Array.from({ length: 24 }, (_, rcode) => ofBoth(readerCounts.rcodes + rcode))
  const asked = answered.reduce((sum, count) => sum + count, ofBoth(readerCounts.unanswered))
  t.equal(asked, comparedCount)
  t.ok(comparedCount > 2_500 * setCount)
})

t.test('any signed zones, any query: the octets of the oracle', async t => {
  let comparedCount = 0
  const table = openTable()
  const target = table.addTarget()
  const responder = openServer(table.readers.open(target).handle)
  for (let seed = 1; seed <= signedSetCount; seed += 1) {
    const dice = new Dice(seed)
    const twins = { images: new ZoneSet<ZoneImage>(), target }
    for (const apex of apexes.filter((_, i) => i % 2 === seed % 2 || dice.below(3) === 0)) {
      const unsigned = contents(dice, apex)
      const rrsets = dice.below(5) === 0 ? unsigned : signZone(unsigned, randomSigning(dice))
      twins.images.publish(compileZone(parseName(apex), rrsets))
      target.publish(createZone(table, rrsets))
    }
    const answerers = new Answerers(twins, responder)
    for (let round = 0; round < 10; round += 1) {
      const asked = askedBy(dice, () =>
        randomQuery(dice, ['RRSIG', 'NSEC', 'DNSKEY', 'NSEC3PARAM']),
      )
      answerers.compare(asked)
      comparedCount += asked.length
    }
    for (const { apex } of twins.images) target.withdraw(apex)
    table.reclaim(10_000)
  }
  t.ok(comparedCount > 250 * signedSetCount)
})

function randomSigning(dice: Dice): SigningOptions {
  return {
    denial: dice.pick(['nsec', 'nsec', 'nsec3', 'opt-out'] as const),
    salt: dice.pick([new Uint8Array(), Uint8Array.of(1, 2, 3, 4)]),
    iterations: dice.pick([0, 0, 7]),
    signatureOctets: dice.pick([64, 64, 256]),
  }
}

t.test('hostile packets: the octets of the oracle, whatever they are', async t => {
  const table = openTable()
  const target = table.addTarget()
  const dice = new Dice(77)
  const twins = { images: new ZoneSet<ZoneImage>(), target }
  for (const apex of apexes) {
    const rrsets = contents(dice, apex)
    twins.images.publish(compileZone(parseName(apex), rrsets))
    target.publish(createZone(table, rrsets))
  }
  const responder = openServer(table.readers.open(target).handle)
  const answerers = new Answerers(twins, responder)
  const requests = goodRequests()
  t.doesNotThrow(() => {
    for (let i = 0; i < 2000; i += 1) {
      answerers.compare(askedBy(dice, () => damagedRequest(requests, dice)))
    }
  })
})

function openServer(handle: ZoneTableHandle): Responder {
  const responder = openResponder({ ...handle, ...serverSettings }, reportDefect)
  responder.host = serverHost()
  return responder
}

/** A batch of requests, from one to as many as there can be. */
function askedBy(dice: Dice, request: () => Uint8Array): readonly Asked[] {
  return Array.from({ length: 1 + dice.below(maxBatchRequests) }, () => ({
    request: request(),
    transport: dice.below(4) === 0 ? 'tcp' : 'udp',
  }))
}

function contents(dice: Dice, apex: string): OwnedRrset[] {
  const rrsets = [randomSoa(dice, apex)]
  for (let i = dice.pick([3, 20, 60, 120]); i > 0; i -= 1) rrsets.push(randomRrset(dice, apex))
  return [...new Map(rrsets.map(rrset => [keyOf(rrset), rrset])).values()]
}

function keyOf({ owner, type }: OwnedRrset): string {
  return `${lowerCaseName(owner)} ${type}`
}

/** One change of one zone, in both. */
function change({ images, target }: Twins, dice: Dice): void {
  const image = dice.pick([...images])
  const zone = target.get(image.apex)
  if (zone === undefined) throw new Error('a zone is missing')
  const present = [...image.rrsets()]
  for (let i = dice.below(6); i >= 0; i -= 1) {
    if (dice.below(2) === 0) {
      const { owner, type } = dice.pick(present)
      if (type === types.SOA) continue
      image.removeRrset(owner, type)
      zone.removeRrset(owner, type)
    } else {
      const rrset = randomRrset(dice, formatName(image.apex))
      image.putRrset(rrset.owner, rrset)
      zone.putRrset(rrset.owner, rrset)
    }
  }
  image.isExpired = dice.below(10) === 0
  zone.isExpired = image.isExpired
}

function hex(octets: Uint8Array | undefined): string {
  return octets === undefined ? 'nothing' : Buffer.from(octets).toString('hex')
}

function described(octets: Uint8Array | undefined): string {
  if (octets === undefined) return 'nothing'
  const { message: _, octets: __, edns: ___, ...texts } = replyFrom(octets)
  return `${JSON.stringify(texts, undefined, 1)}\n${hex(octets)}`
}

function reportDefect(defect: unknown): void {
  throw defect
}
