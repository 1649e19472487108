import t from 'tap'
import { parseMetrics, quantileOf, sumOf, sumsBy } from '../../src/console/api/samples.ts'

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
  t.same(
    [...sumsBy(samples, 'requests_total', 'rcode')],
    [
      ['NOERROR', 9],
      ['REFUSED', 1],
    ],
  )
  t.equal(sumOf(samples, 'zones'), 3)
  t.equal(sumOf(samples, 'ratio'), 0.0015)
  t.equal(sumOf(samples, 'nothing'), 0)
})

t.test('a quantile is that of what was counted between two readings', async t => {
  const before = new Map([
    ['0.001', 50],
    ['0.01', 100],
    ['+Inf', 100],
  ])
  const after = new Map([
    ['0.001', 51],
    ['0.01', 199],
    ['+Inf', 200],
  ])
  t.equal(quantileOf(before, after, 0.01), 0.001)
  t.equal(quantileOf(before, after, 0.99), 0.01)
  t.equal(quantileOf(before, after, 1), Number.POSITIVE_INFINITY)
  t.equal(quantileOf(after, after, 0.99), undefined, 'nothing was asked')
})
