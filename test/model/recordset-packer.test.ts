import t from 'tap'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata } from '../../src/dns/rdata/index.ts'
import {
  isJson,
  type PackedRecordset,
  RecordsetUnpacker,
} from '../../src/model/packed-recordset.ts'
import { RecordsetPacker } from '../../src/model/recordset-packer.ts'
import { octetsOfRrset } from '../../src/zone/rrset-octets.ts'
import { recordsetRow } from '../helpers/store-rows.ts'

const packer = new RecordsetPacker()

function last(): PackedRecordset {
  const words = packer.words.slice(0, packer.wordCount)
  return { words, octets: Buffer.from(words.buffer), at: 0 }
}

t.test('a text is kept only where printing would not give it back', async t => {
  const octetsOf = (type: string, value: string, name = 'www.example.com.') => {
    packer.pack(recordsetRow({ type, records: [value], name }))
    t.notOk(isJson(last()), value)
    return 4 * packer.wordCount
  }
  t.ok(octetsOf('AAAA', '2001:DB8::1') > octetsOf('AAAA', '2001:db8::1'))
  t.ok(octetsOf('TXT', 'word') > octetsOf('TXT', '"word"'))
  t.equal(octetsOf('CNAME', 'WWW.Example.net.'), octetsOf('CNAME', 'www.example.net.'))
  t.equal(octetsOf('A', '192.0.2.1', 'WWW.Example.com.'), octetsOf('A', '192.0.2.1'))
  t.ok(octetsOf('A', '192.0.2.1', '\\119ww.example.com.') > octetsOf('A', '192.0.2.1'))
})

t.test('a value that cannot be read is kept as it is', async t => {
  for (const differences of [
    { records: ['192.0.2.1', '192.0.2.300'] },
    { name: 'relative' },
    { type: 'a' },
    { type: 'NONE' },
  ]) {
    packer.pack(recordsetRow(differences))
    t.ok(isJson(last()), JSON.stringify(differences))
  }
})

t.test('what was read off the wire is the recordset that its texts would make', async t => {
  const row = recordsetRow({
    type: 'MX',
    name: 'Www.example.com.',
    ttlSeconds: 60,
    records: ['10 a.example.', '20 B.example.'],
    isManaged: true,
  })
  const rdatas = row.records.map(value => parseRdata(15, value))
  const rrset = octetsOfRrset(parseName(row.name), { type: 15, ttlSeconds: 60, rdatas })
  packer.packNew(rrset, { isManaged: true, ttlSeconds: 60 })
  const noId = '00000000-0000-0000-0000-000000000000'
  const expected = { ...row, id: noId, zoneId: noId, createdAt: 0 }
  t.same(new RecordsetUnpacker().unpack(last()), expected)
})
