import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { type Name, parseName } from '../../src/dns/name.ts'
import { SignedHistory } from '../../src/publish/signed-history.ts'
import type { TableZone } from '../../src/zone/table/table-zone.ts'
import { recordsFromText } from '../helpers/transfer.ts'

const apex = parseName('example.')

/** A zone with nothing but its SOA. */
function newZone() {
  let serial = 1
  const findRrset = (_owner: Name, type: number) => {
    const [soa] = recordsFromText(apex, `@ 300 SOA ns host ${serial} 7200 900 1209600 300`)
    return { type, ttlSeconds: 300, rdatas: soa === undefined ? [] : [soa.rdata] }
  }
  const served = { findRrset, givenName: () => undefined } as unknown as TableZone
  return {
    /** Notes the next serial. */
    change(history: SignedHistory, id: string) {
      const names = [{ owner: apex, edits: [{ owner: apex, type: types.SOA, rrset: undefined }] }]
      const edit = () => {
        serial += 1
      }
      history.note(id, { served, names, edit } as unknown as Parameters<SignedHistory['note']>[1])
      history.endStep(id, { fromSerial: serial - 1, toSerial: serial })
    },
  }
}

t.test('zones that change much do not cost those that change little their history', async t => {
  const history = new SignedHistory({ all: 10_000, each: 8_000 })
  const quiet = newZone()
  history.begin('quiet')
  quiet.change(history, 'quiet')
  for (const id of ['one', 'other', 'third']) {
    const zone = newZone()
    history.begin(id)
    for (let i = 0; i < 100; i += 1) zone.change(history, id)
  }
  t.match(history.since('quiet', 1, 2), { fromSerial: 1, toSerial: 2 })
  t.match(history.since('third', 100, 101), { fromSerial: 100, toSerial: 101 })
  t.equal(history.since('one', 1, 101), undefined)
})
