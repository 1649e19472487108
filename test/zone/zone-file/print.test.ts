import t from 'tap'
import { formatName, parseName } from '../../../src/dns/name.ts'
import { parseZoneFile } from '../../../src/zone/zone-file/parse.ts'
import { printZoneFile } from '../../../src/zone/zone-file/print.ts'
import { zoneFromText } from '../../helpers/zone.ts'

t.test('what is printed reads back as the same records', async t => {
  const image = zoneFromText(`
    example.com. 3600 SOA ns1.example.net. ops.example.com. 1 3600 600 86400 300
    example.com. 3600 NS ns1.example.net.
    www.example.com. 60 A 192.0.2.1
    www.example.com. 60 A 192.0.2.2
    \\097\\.b.example.com. 60 TXT "a;b \\"c\\"" "d"
  `)
  const apex = parseName('example.com.')
  const lines = [...printZoneFile(apex, { defaultTtlSeconds: 3600, rrsets: image.rrsets() })]
  t.equal(lines[0], '$ORIGIN example.com.\n$TTL 3600\n\n')
  const read = [...parseZoneFile(lines.join(''))].map(
    ({ owner, type, ttlSeconds, rdata }) =>
      `${formatName(owner)} ${ttlSeconds} ${type} ${Buffer.from(rdata).toString('hex')}`,
  )
  const stored = [...image.rrsets()].flatMap(({ owner, type, ttlSeconds, rdatas }) =>
    rdatas.map(
      rdata => `${formatName(owner)} ${ttlSeconds} ${type} ${Buffer.from(rdata).toString('hex')}`,
    ),
  )
  t.same(read, stored)
})
