import t from 'tap'
import { openResponder } from '../../src/nameserver/responder.ts'
import { createRateLimit, type RateLimitHandle } from '../../src/nameserver/response-rate-limit.ts'
import { answerFrom } from '../../src/transport/answer.ts'
import { queryFor } from '../helpers/ask.ts'
import { Dice } from '../helpers/dice.ts'
import { messageOf } from '../helpers/message-of.ts'
import { openTable, tableZoneFromText } from '../helpers/zone-table.ts'

// Reflection: an attacker forges the address of a victim, and the server sends the victim what the attacker asks for.

const floodCount = 20_000
const perSecond = 20
const victim = '203.0.113.9'

const zoneText = `
  example. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  big      60   TXT ${Array.from({ length: 4 }, () => `"${'x'.repeat(250)}"`).join(' ')}
  *.wild   60   A   192.0.2.1
`

/** A server of two threads that share what they know of clients, at a time that stands still. */
function serve(rateLimit: RateLimitHandle | undefined) {
  const table = openTable()
  const target = table.addTarget()
  target.publish(tableZoneFromText(table, zoneText))
  const buffer = new Uint8Array(0xffff)
  const threads = [0, 1].map(() => {
    const responder = openResponder({ ...table.readers.open(target).handle, rateLimit })
    const answer = answerFrom(responder)
    if (responder.host !== undefined) responder.host = { ...responder.host, nowSeconds: () => 1 }
    return answer
  })
  return (request: Uint8Array, from: string, i: number): number =>
    messageOf(threads[i % threads.length]?.(request, 'udp', buffer, from))?.length ?? 0
}

function rateLimit(): RateLimitHandle {
  const dice = new Dice(6)
  const settings = { perSecond, windowSeconds: 15, slip: 2, exempt: [] }
  return createRateLimit(settings, () => dice.below(2 ** 32))
}

t.test('20,000 identical queries from one source get few answers and no amplification', async t => {
  const ask = serve(rateLimit())
  const request = queryFor('big.example. TXT', { edns: {} })
  let answerCount = 0
  let octets = 0
  for (let i = 0; i < floodCount; i += 1) {
    const length = ask(request, victim, i)
    if (length > 1000) answerCount += 1
    octets += length
  }
  t.equal(answerCount, perSecond)
  t.ok(octets < 0.6 * floodCount * request.length, 'the victim gets less than the attacker sent')
  t.ok(ask(queryFor('big.example. TXT'), '198.51.100.1', 0) > 0, 'others are answered')
})

t.test('nor do names that are made up, from addresses all over one network', async t => {
  const ask = serve(rateLimit())
  let fullCount = 0
  for (let i = 0; i < floodCount; i += 1) {
    const request = queryFor(`n${i}${i % 2 === 0 ? '' : '.wild'}.example. A`)
    if (ask(request, `203.0.113.${i % 256}`, i) > request.length) fullCount += 1
  }
  t.equal(fullCount, 2 * perSecond, 'NXDOMAIN and the wildcard')
})

t.test('without the limit each is answered: what is above is due to it', async t => {
  const ask = serve(undefined)
  const request = queryFor('big.example. TXT', { edns: {} })
  let answerCount = 0
  for (let i = 0; i < 1000; i += 1) if (ask(request, victim, i) > 1000) answerCount += 1
  t.equal(answerCount, 1000)
})
