import t from 'tap'
import { ask } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(`
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
`)
const edns = { options: [{ code: 11, octets: new Uint8Array() }] }

t.test('3.3.2 over TCP the client is told how long it may be idle, if it asks', async t => {
  const { edns: found } = ask(zones, 'example. NS', { transport: 'tcp', edns })
  t.same(found?.options, [{ code: 11, octets: Uint8Array.of(0, 100) }])
  t.same(ask(zones, 'example. NS', { transport: 'tcp', edns: {} }).edns?.options, [])
})

t.test('3.2.1 over UDP the option is ignored', async t => {
  t.same(ask(zones, 'example. NS', { edns }).edns?.options, [])
})
