import t from 'tap'
import { classes } from '../../src/dns/codes.ts'
import { openResponder } from '../../src/nameserver/responder.ts'
import { ask, queryFor, replyFrom } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'
import { openTable } from '../helpers/zone-table.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
`)

function identityOf(question: string): string | undefined {
  const edns = { options: [{ code: 3, octets: new Uint8Array() }] }
  const option = ask(zones, question, { edns }).edns?.options.find(({ code }) => code === 3)
  return option && Buffer.from(option.octets).toString()
}

t.test('2.1 who asks for NSID is told which server answers, whatever the answer is', async t => {
  t.equal(identityOf('example. NS'), 'ns1.example')
  t.equal(identityOf('no.example. A'), 'ns1.example')
  t.equal(identityOf('elsewhere.test. A'), 'ns1.example')
})

t.test('2.1 a query without NSID gets none', async t => {
  t.same(ask(zones, 'example. NS', { edns: {} }).edns?.options, [])
})

t.test('RFC 4892: the same, and the version, by names of class CH', async t => {
  const rows = [
    ['id.server. TXT', '"ns1.example"'],
    ['HOSTNAME.bind. TXT', '"ns1.example"'],
    ['version.server. TXT', '"Zonewright"'],
    ['version.bind. ANY', '"Zonewright"'],
  ] as const
  for (const [question, text] of rows) {
    const { rcode, flags, answer } = ask(zones, question, { class: classes.chaos })
    const [owner] = question.split(' ')
    t.same([rcode, flags, answer], ['NOERROR', 'aa', [`${owner} 0 TXT ${text}`]])
  }
  t.equal(ask(zones, 'version.bind. A', { class: classes.chaos }).rcode, 'REFUSED')
  t.equal(ask(zones, 'authors.bind. TXT', { class: classes.chaos }).rcode, 'REFUSED')
  t.equal(ask(zones, 'version.bind. TXT').rcode, 'REFUSED')
})

t.test('RFC 4892: a long text and a long NSID do not exceed what the client accepts', async t => {
  const longest = Buffer.alloc(255, 'x')
  const table = openTable()
  const { handle } = table.readers.open(table.addTarget())
  const facts = { identity: longest, version: longest }
  const responder = openResponder({ ...handle, facts })
  const edns = { payloadOctets: 512, options: [{ code: 3, octets: new Uint8Array() }] }
  const room = new Uint8Array(1232)
  const answerTo = (query: Uint8Array) => {
    responder.enter()
    responder.take(0, query, query.length, 'udp')
    const length = responder.respond(0, room)
    responder.leave()
    t.ok(length <= 512, `${length} octets`)
    return replyFrom(room.slice(0, length))
  }
  const chaos = { class: classes.chaos }
  const { flags, answer } = answerTo(queryFor('version.bind. TXT', { ...chaos, edns }))
  t.same([flags, answer], ['aa tc', []])
  t.equal(answerTo(queryFor('version.bind. TXT', chaos)).answer.length, 1)
})
