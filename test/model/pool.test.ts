import t from 'tap'
import { defaultNsRecords, nsRecordsInOrder } from '../../src/model/pool.ts'

t.test('name servers come by priority, then by name', async t => {
  const nsRecords = [
    { hostname: 'ns3.example.com.', priority: 1 },
    { hostname: 'ns1.example.com.', priority: 10 },
    { hostname: 'ns2.example.com.', priority: 1 },
  ]
  const hostnames = nsRecordsInOrder({ nsRecords }).map(({ hostname }) => hostname)
  t.same(hostnames, ['ns2.example.com.', 'ns3.example.com.', 'ns1.example.com.'])
})

t.test('the default name server is in a reserved domain (RFC 2606)', async t => {
  for (const { hostname } of defaultNsRecords) t.match(hostname, /\.example\.$/)
})
