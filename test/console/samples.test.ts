import t from 'tap'
import { parseMetrics, sumOf } from '../../src/console/api/samples.ts'

const text = `# HELP requests_total What was asked.
# TYPE requests_total counter
requests_total{rcode="NOERROR",transport="udp"} 7
requests_total{rcode="NOERROR",transport="tcp"} 2
requests_total{rcode="REFUSED",transport="udp"} 1
zones 3
ratio 1.5e-3
`

t.test('samples are read with their labels', async t => {
  const samples = parseMetrics(text)
  t.equal(samples.length, 5)
  t.equal(sumOf(samples, 'requests_total'), 10)
  t.equal(sumOf(samples, 'requests_total', { rcode: 'NOERROR' }), 9)
  t.equal(sumOf(samples, 'zones'), 3)
  t.equal(sumOf(samples, 'ratio'), 0.0015)
  t.equal(sumOf(samples, 'nothing'), 0)
})
