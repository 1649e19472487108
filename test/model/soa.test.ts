import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { formatRdata, parseRdata } from '../../src/dns/rdata/index.ts'
import { newSoaTimers, soaText } from '../../src/model/soa.ts'

t.test(
  'the refresh of new zones is spread from 3500 to 3600 seconds, the rest is fixed',
  async t => {
    t.same(newSoaTimers(0), {
      refreshSeconds: 3500,
      retrySeconds: 600,
      expireSeconds: 86_400,
      minimumSeconds: 3600,
    })
    t.equal(newSoaTimers(0.999999).refreshSeconds, 3600)
  },
)

t.test('a SOA names the pool’s first server, the address, the serial and the timers', async t => {
  const zone = { email: 'first.last@example.com', serial: 7, soaTimers: newSoaTimers(0) }
  const text = soaText(zone, 'ns1.example.org.')
  t.equal(text, 'ns1.example.org. first\\.last.example.com. 7 3500 600 86400 3600')
  t.equal(formatRdata(types.SOA, parseRdata(types.SOA, text)), text)
})
