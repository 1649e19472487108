import t from 'tap'
import { rcodes, types } from '../../src/dns/codes.ts'
import { flags } from '../../src/dns/header.ts'
import { parseName } from '../../src/dns/name.ts'
import { judgeResponse, judgeSoaResponse } from '../../src/zone/transfer-response.ts'
import { recordsFromText, type TransferMessage, transferMessage } from '../helpers/transfer.ts'

const zone = parseName('example.')
const id = 4711
const soa = '@ 300 SOA ns.example. host.example. 7 60 30 600 60'

t.test(
  'only the first message of a transfer must repeat the question (RFC 5936 2.2.2)',
  async t => {
    const asked = { id, zone, type: types.AXFR }
    const octets = transferMessage({ id, zone, records: [], hasQuestion: false })
    t.match(judgeResponse(octets, asked, { isFirst: true }), { failure: { kind: 'mismatched' } })
    t.match(judgeResponse(octets, asked, { isFirst: false }), { kind: 'accepted' })
    const other = transferMessage({ id, zone: parseName('other.'), records: [] })
    t.match(judgeResponse(other, asked, { isFirst: false }), { failure: { kind: 'mismatched' } })
  },
)

t.test('the serial is read from exactly one SOA of the zone', async t => {
  const asked = { id, zone, type: types.SOA }
  const verdict = (text: string, message: Partial<TransferMessage> = {}) =>
    judgeSoaResponse(
      transferMessage({
        id,
        zone,
        type: types.SOA,
        records: recordsFromText(zone, text),
        ...message,
      }),
      asked,
    )
  t.strictSame(verdict(soa), { kind: 'serial', serial: 7 })
  t.strictSame(verdict(soa, { zone: parseName('EXAMPLE.') }), { kind: 'serial', serial: 7 })
  t.match(verdict(soa, { flags: flags.response }), { failure: { kind: 'not-authoritative' } })
  t.match(verdict(''), { failure: { kind: 'not-a-transfer' } })
  t.match(verdict(`${soa}\n${soa.replace(' 7 ', ' 8 ')}`), { failure: { kind: 'not-a-transfer' } })
  t.match(verdict('sub 300 SOA a. b. 7 1 1 1 1'), { failure: { kind: 'not-a-transfer' } })
  t.match(verdict('', { rcode: rcodes.servFail }), { failure: { kind: 'refused' } })
  t.match(verdict('', { rcode: 11 }), { failure: { reason: /answers RCODE11/ } })
})
