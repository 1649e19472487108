import t from 'tap'
import { ImportReporter } from '../../src/bulk/import-report.ts'
import { fileSoaOf, forwardSerial } from '../../src/bulk/import-soa.ts'
import { parseName } from '../../src/dns/name.ts'
import { parseRdata, typeCode } from '../../src/dns/rdata/index.ts'

const type = typeCode('SOA') as number

function soaOf(text: string, reporter = new ImportReporter()) {
  const rdatas = [parseRdata(type, text)]
  const owner = parseName('a.example.')
  return fileSoaOf({ owner, type, ttlSeconds: 60, rdatas, line: 1, hasTtl: false }, reporter)
}

t.test('an SOA says all of its zone but the name server', async t => {
  t.same(soaOf('ns.old. d\\.ops.a.example. 7 1 2 3 4'), {
    name: 'a.example.',
    email: 'd.ops@a.example',
    ttlSeconds: null,
    serial: 7,
    soaTimers: { refreshSeconds: 1, retrySeconds: 2, expireSeconds: 3, minimumSeconds: 4 },
  })
})

t.test('an RNAME that is no address is replaced, and told of', async t => {
  for (const rname of ['.', 'root.', 'ops\\@a.example.', 'o\\032ps.a.example.']) {
    const reporter = new ImportReporter()
    t.equal(soaOf(`ns.old. ${rname} 7 1 2 3 4`, reporter).email, 'hostmaster@a.example', rname)
    t.equal(reporter.changed.count, 1)
  }
})

t.test('a serial is taken where it is newer (RFC 1982), and told of where it is not', async t => {
  const reporter = new ImportReporter()
  t.equal(forwardSerial(soaOf('a. b.c. 7 1 2 3 4'), { serial: 6 }, reporter), 7)
  t.equal(forwardSerial(soaOf('a. b.c. 2 1 2 3 4'), { serial: 4_294_967_295 }, reporter), 2)
  t.equal(reporter.changed.count, 0)
  for (const serial of [7, 8, 7 + 2 ** 31]) {
    t.equal(forwardSerial(soaOf('a. b.c. 7 1 2 3 4'), { serial }, reporter), undefined)
  }
  t.equal(reporter.changed.count, 2, 'an edited export has the serial of the zone')
})
