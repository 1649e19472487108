import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { flags } from '../../src/dns/header.ts'
import { decodeMessage } from '../../src/dns/message.ts'
import { formatName, lowerCaseName } from '../../src/dns/name.ts'
import type { Transport } from '../../src/nameserver/request.ts'
import { maxBatchRequests } from '../../src/nameserver/request-batch.ts'
import { openResponder, type Responder } from '../../src/nameserver/responder.ts'
import type { OwnedRrset } from '../../src/zone/rrset.ts'
import { Counters, readerCounts, tcpReaderCounts } from '../../src/zone/table/counters.ts'
import type { ZoneTableHandle } from '../../src/zone/table/handle.ts'
import type { TargetZones } from '../../src/zone/table/target-zones.ts'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { serverHost, serverSettings } from '../helpers/asked-server.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { damagedRequest, goodRequests, hostileZones } from '../helpers/hostile-packets.ts'
import { ListedZone } from '../helpers/oracle/listed-zone.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'
import { ZoneSet } from '../helpers/oracle/zone-set.ts'
import { apexes, randomQuery, randomRrset, randomSoa } from '../helpers/random-zones.ts'
import { type SigningOptions, signZone } from '../helpers/sign-zone.ts'
import { rrsetsFromText } from '../helpers/zone.ts'
import { createZone, openTable } from '../helpers/zone-table.ts'

// Two ways from a request to its response: by the oracle, which the scenarios, the conformance tests and other servers have
// judged, and in place over shared memory. The octets must be the same.

const setCount = 10 * depth
const batchesPerSet = 140
const signedSetCount = 10 * depth
const hostileBatchCount = 2000 * depth

/** The same zones twice. */
type Twins = { readonly listed: ZoneSet; readonly target: TargetZones }

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

  /** Asks both, the responder all in one batch, and throws where they differ. Of each batch one response is decoded, which
   *  takes longer than to make it. */
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
      const found = octets === 0 ? undefined : room.subarray(0, octets)
      this.#requireWanted(each, found)
      if (i === 0 && found !== undefined) decodeMessage(found)
    }
    responder.leave()
  }

  #requireWanted({ request, transport }: Asked, found: Uint8Array | undefined): void {
    const { listed: zones } = this.#twins
    const wanted = processQuery(request, { zones, transport, buffer: this.#buffer, reportDefect })
    const hasForm = found === undefined || isResponseTo(request, found)
    if (hasForm && hex(found) === hex(wanted)) return
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
    const twins = { listed: new ZoneSet(), target }
    for (const apex of apexes.filter((_, i) => i % 2 === seed % 2 || dice.below(3) === 0)) {
      const rrsets = contents(dice, apex)
      twins.listed.publish(new ListedZone(rrsets))
      target.publish(createZone(table, rrsets))
    }
    const answerers = new Answerers(twins, responder)
    for (let round = 0; round < batchesPerSet; round += 1) {
      const asked = askedBy(dice, () => randomQuery(dice))
      answerers.compare(asked)
      comparedCount += asked.length
      if (dice.below(3) === 0) change(twins, dice)
    }
    for (const { apex } of twins.listed) target.withdraw(apex)
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
    const twins = { listed: new ZoneSet(), target }
    for (const apex of apexes.filter((_, i) => i % 2 === seed % 2 || dice.below(3) === 0)) {
      const unsigned = contents(dice, apex)
      const rrsets = dice.below(5) === 0 ? unsigned : signZone(unsigned, randomSigning(dice))
      twins.listed.publish(new ListedZone(rrsets))
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
    for (const { apex } of twins.listed) target.withdraw(apex)
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
  const dice = new Dice(77)
  const answerers = openHostile()
  const requests = goodRequests()
  t.doesNotThrow(() => {
    for (let i = 0; i < hostileBatchCount; i += 1) {
      answerers.compare(askedBy(dice, () => damagedRequest(requests, dice)))
    }
  })
})

t.test('every good request, cut at every length: the octets of the oracle', async t => {
  const answerers = openHostile()
  t.doesNotThrow(() => {
    for (const request of goodRequests()) {
      for (let length = 0; length < request.length; length += 1) {
        answerers.compare([{ request: request.subarray(0, length), transport: 'udp' }])
      }
    }
  })
})

t.test('what should be impossible is reported, and SERVFAIL for the client', async t => {
  const table = openTable()
  const target = table.addTarget()
  target.publish(createZone(table, rrsetsFromText('example. 60 SOA ns1 hostmaster 1 2 3 4 5')))
  const defects: unknown[] = []
  const responder = openResponder(table.readers.open(target).handle, it => defects.push(it))
  const onTransfer = () => {
    throw new Error('impossible')
  }
  responder.host = { ...serverHost(), onTransfer }
  const request = queryFor('example. AXFR', { edns: {} })
  const room = new Uint8Array(0xffff)
  responder.enter()
  responder.take(0, request, request.length, 'tcp')
  const reply = replyFrom(room.subarray(0, responder.respond(0, room)))
  responder.leave()
  t.match(defects, [{ message: 'impossible' }])
  t.match(reply, { rcode: 'SERVFAIL', question: 'example. AXFR', answer: [] })
  t.ok(reply.edns)
})

function openHostile(): Answerers {
  const table = openTable()
  const target = table.addTarget()
  for (const zone of hostileZones) target.publish(createZone(table, zone.rrsets()))
  const responder = openServer(table.readers.open(target).handle)
  return new Answerers({ listed: hostileZones, target }, responder)
}

/** Whether the id, the opcode and RD are those of the request. */
function isResponseTo(request: Uint8Array, response: Uint8Array): boolean {
  const word = (octets: Uint8Array, at: number) => Buffer.from(octets).readUInt16BE(at)
  const kept = 0x7900
  return (
    word(response, 0) === word(request, 0) &&
    (word(response, 2) & flags.response) !== 0 &&
    (word(response, 2) & kept) === (word(request, 2) & kept)
  )
}

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
function change({ listed, target }: Twins, dice: Dice): void {
  const oracle = dice.pick([...listed])
  const zone = target.get(oracle.apex)
  if (zone === undefined) throw new Error('a zone is missing')
  const present = oracle.rrsets()
  for (let i = dice.below(6); i >= 0; i -= 1) {
    if (dice.below(2) === 0) {
      const { owner, type } = dice.pick(present)
      if (type === types.SOA) continue
      oracle.removeRrset(owner, type)
      zone.removeRrset(owner, type)
    } else {
      const rrset = randomRrset(dice, formatName(oracle.apex))
      oracle.putRrset(rrset.owner, rrset)
      zone.putRrset(rrset.owner, rrset)
    }
  }
  oracle.isExpired = dice.below(10) === 0
  zone.isExpired = oracle.isExpired
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
