import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { type AskOptions, ask } from '../helpers/ask.ts'
import { zonesFromText } from '../helpers/zone.ts'

const zones = zonesFromText(
  `
  example.  3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @         3600 NS  ns1
`,
  `
  expired.test. 3600 SOA ns1 hostmaster 1 7200 900 1209600 300
  @             3600 NS  ns1
`,
)
const expired = zones.get(parseName('expired.test.'))
if (expired !== undefined) expired.isExpired = true

/** The INFO-CODE, undefined where there is none. */
function extendedError(question: string, options: AskOptions = { edns: {} }): number | undefined {
  const { edns } = ask(zones, question, options)
  const option = edns?.options.find(({ code }) => code === 15)
  return option && Buffer.from(option.octets).readUInt16BE(0)
}

t.test('4.19 what is not allowed is Prohibited', async t => {
  t.equal(extendedError('example. AXFR', { transport: 'tcp', edns: {} }), 18)
  t.equal(extendedError('example. A', { class: 4, edns: {} }), 18)
})

t.test('4.21 a name in none of our zones is Not Authoritative', async t => {
  t.equal(extendedError('www.elsewhere.test. A'), 20)
})

t.test('4.25 a zone whose data has expired is Invalid Data', async t => {
  t.equal(extendedError('expired.test. NS'), 24)
})

t.test('3 answers have none, and who has no EDNS is told nothing', async t => {
  t.equal(extendedError('example. NS'), undefined)
  t.equal(extendedError('no.example. A'), undefined)
  t.equal(ask(zones, 'www.elsewhere.test. A').edns, undefined)
})
