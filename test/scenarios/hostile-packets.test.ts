import t from 'tap'
import { decodeMessage } from '../../src/dns/message.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { damagedRequest, goodRequests, hostileZones } from '../helpers/hostile-packets.ts'
import { processQuery } from '../helpers/oracle/process-query.ts'

// What they cost in time is measured, not asserted: `npm run bench -- process-query`.

const packetCount = 200_000 * depth
const seed = 20_261_121
/** Decoding every response would take longer than making them all. */
const decodeEach = 100

t.test(
  `${packetCount} damaged packets (seed ${seed}): no throw, and responses of the right form`,
  async t => {
    const dice = new Dice(seed)
    const requests = goodRequests()
    const buffer = new Uint8Array(0xffff)
    const defects: string[] = []
    let responseCount = 0
    for (let i = 0; i < packetCount; i += 1) {
      const request = damagedRequest(requests, dice)
      const transport = i % 8 === 0 ? 'tcp' : 'udp'
      const report = (defect: unknown): void => {
        defects.push(`packet ${i}: ${defect}`)
      }
      const context = { zones: hostileZones, transport, buffer, reportDefect: report } as const
      const response = processQuery(request, context)
      if (response === undefined) continue
      responseCount += 1
      const isDecoded = responseCount % decodeEach === 0
      if (!isResponseTo(request, response, transport) || (isDecoded && !canDecode(response))) {
        defects.push(`packet ${i}: ${Buffer.from(request).toString('hex')}`)
      }
    }
    t.same(defects, [])
    t.ok(responseCount > packetCount / 2, 'most damage leaves something to answer')
  },
)

t.test('no packet shorter than a header is answered', async t => {
  const context = { zones: hostileZones, transport: 'udp', buffer: new Uint8Array(0xffff) } as const
  for (let length = 0; length < 12; length += 1) {
    t.equal(processQuery(new Uint8Array(length), context), undefined)
  }
})

t.test('every good request, cut at every length, is answered or ignored', async t => {
  const context = { zones: hostileZones, transport: 'udp', buffer: new Uint8Array(0xffff) } as const
  const wrong: string[] = []
  for (const request of goodRequests()) {
    for (let length = 12; length < request.length; length += 1) {
      const response = processQuery(request.slice(0, length), context)
      if (response === undefined || !canDecode(response)) wrong.push(`${request} at ${length}`)
    }
  }
  t.same(wrong, [])
})

function isResponseTo(request: Uint8Array, response: Uint8Array, transport: string): boolean {
  const [flagsHigh = 0, responseHigh = 0] = [request[2], response[2]]
  return (
    response.length >= 12 &&
    response.length <= (transport === 'udp' ? 1232 : 0xffff) &&
    response[0] === request[0] &&
    response[1] === request[1] &&
    (responseHigh & 0x80) !== 0 &&
    (responseHigh & 0x79) === (flagsHigh & 0x79)
  )
}

function canDecode(response: Uint8Array): boolean {
  try {
    decodeMessage(response)
    return true
  } catch {
    return false
  }
}
