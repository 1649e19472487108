import t from 'tap'
import { ask, exchange, queryFor, type Reply } from '../helpers/ask.ts'
import { withoutQuestion } from '../helpers/hostile-packets.ts'
import { ownCookie } from '../helpers/oracle/options.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
  ns1       3600 A   192.0.2.53
`)

function withCookie(...cookies: readonly Uint8Array[]) {
  return { edns: { options: cookies.map(octets => ({ code: 10, octets })) } }
}

function cookieOf({ edns }: Reply): string | undefined {
  const [cookie, ...others] = edns?.options.filter(({ code }) => code === 10) ?? []
  if (others.length > 0) throw new Error('more than one COOKIE')
  return cookie && Buffer.from(cookie.octets).toString('hex')
}

const own = ownCookie()
const ownText = Buffer.from(own).toString('hex')

t.test('5.2.1 without a cookie there is none in the response', async t => {
  t.equal(cookieOf(ask(zones, 'ns1.example. A', { edns: {} })), undefined)
})

t.test('4, 5.2.2 a malformed cookie is FORMERR', async t => {
  for (const length of [0, 7, 9, 15, 41]) {
    const reply = ask(zones, 'ns1.example. A', withCookie(new Uint8Array(length)))
    t.equal(reply.rcode, 'FORMERR', `${length} octets`)
    t.ok(reply.edns)
    t.equal(cookieOf(reply), undefined)
  }
})

t.test('5.2.3 a client cookie alone is answered, with a server cookie', async t => {
  const reply = ask(zones, 'ns1.example. A', withCookie(own.slice(0, 8)))
  t.equal(reply.rcode, 'NOERROR')
  t.equal(reply.answer.length, 1)
  t.equal(cookieOf(reply), ownText)
})

t.test('5.2.4 a server cookie that is not ours is answered, with one that is', async t => {
  for (const octets of [new Uint8Array(16), new Uint8Array(40), own.with(20, own[20]! ^ 1)]) {
    const reply = ask(zones, 'ns1.example. A', withCookie(octets))
    t.equal(reply.answer.length, 1)
    t.equal(cookieOf(reply)?.length, 48)
    t.not(cookieOf(reply), Buffer.from(octets).toString('hex'))
  }
})

t.test('5.2.5 a good one is sent back; of several the first counts', async t => {
  t.equal(cookieOf(ask(zones, 'ns1.example. A', withCookie(own, new Uint8Array(8)))), ownText)
})

t.test('5.2 errors carry the cookie too, but not BADVERS', async t => {
  t.equal(cookieOf(ask(zones, 'elsewhere.test. A', withCookie(own))), ownText)
  t.equal(cookieOf(ask(zones, 'no.example. A', withCookie(own))), ownText)
  const { edns } = withCookie(own)
  t.equal(cookieOf(ask(zones, 'ns1.example. A', { edns: { ...edns, version: 1 } })), undefined)
})

t.test('5.4 a cookie can be asked for without a question', async t => {
  const exchangeAlone = (cookie: Uint8Array) =>
    exchange(zones, withoutQuestion(queryFor('ns1.example. A', withCookie(cookie)), 'ns1.example.'))
  const rows: readonly (readonly [Uint8Array, string])[] = [
    [own.slice(0, 8), 'NOERROR'],
    [own, 'NOERROR'],
    [ownCookie({ ageSeconds: 3601 }), 'BADCOOKIE'],
  ]
  for (const [cookie, rcode] of rows) {
    const reply = exchangeAlone(cookie)
    t.equal(reply.rcode, rcode)
    t.equal(cookieOf(reply), ownText)
    t.same([reply.question, reply.answer], ['', []])
  }
  t.equal(exchangeAlone(new Uint8Array(9)).rcode, 'FORMERR')
})
