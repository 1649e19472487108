import t from 'tap'
import { Metrics } from '../../src/metrics/metrics.ts'

t.test('numbers of other parts are read at each scrape', async t => {
  const metrics = new Metrics({ version: '1.2.3' })
  let sent = 1
  metrics.addNumbers('sent_total', 'Sent', 'transport', () => [['udp', sent]])
  metrics.addNumber('depth', 'Depth', () => 2 * sent)
  t.match(await metrics.text(), /^sent_total\{transport="udp"\} 1$/m)
  sent = 5
  const text = await metrics.text()
  t.match(text, /^sent_total\{transport="udp"\} 5$/m)
  t.match(text, /^depth 10$/m)
  t.match(text, /^zonewright_build_info\{version="1.2.3"\} 1$/m)
})

t.test('what is not read any more is not shown any more', async t => {
  const metrics = new Metrics({ version: '1' })
  let states = ['up', 'down']
  metrics.addNumbers('servers', 'Servers', 'state', () => states.map(state => [state, 1]))
  t.match(await metrics.text(), /state="down"/)
  states = ['up']
  t.notMatch(await metrics.text(), /state="down"/)
})

t.test('a gauge that has no reading is not shown as 0', async t => {
  const metrics = new Metrics({ version: '1' })
  let expiry: number | undefined = 1_795_000_000
  metrics.addNumber('expiry_seconds', 'Expiry', () => expiry)
  t.match(await metrics.text(), /^expiry_seconds 1795000000$/m)
  expiry = undefined
  t.notMatch(await metrics.text(), /^expiry_seconds \d/m)
})

t.test('requests are counted by declared path, those without one together', async t => {
  const metrics = new Metrics({ version: '1' })
  metrics.requestAnswered({ method: 'GET', route: '/v2/zones', status: 200, seconds: 0.003 })
  metrics.requestAnswered({ method: 'GET', route: undefined, status: 404, seconds: 0.003 })
  metrics.requestAnswered({ method: 'GET', route: undefined, status: 404, seconds: 0.003 })
  const text = await metrics.text()
  const count = (route: string, status: number) =>
    `zonewright_http_request_duration_seconds_count{method="GET",route="${route}",status="${status}"}`
  t.ok(text.includes(`${count('/v2/zones', 200)} 1\n`))
  t.ok(text.includes(`${count('unknown', 404)} 2\n`))
})

t.test('a name is taken once', async t => {
  const metrics = new Metrics({ version: '1' })
  const add = () => metrics.addNumber('depth', 'Depth', () => undefined)
  add()
  t.throws(add, /depth/)
})

t.test('a histogram of another part is read at each scrape', async t => {
  const metrics = new Metrics({ version: '1' })
  const counts = [1, 0, 2]
  metrics.addHistogram({
    name: 'wait_seconds',
    help: 'Waits',
    bounds: [0.001, 0.002],
    read: () => [{ labels: { kind: 'long' }, counts, sum: 7 }],
  })
  const lines = async () =>
    (await metrics.text()).split('\n').filter(line => line.includes('wait_seconds'))
  t.same(await lines(), [
    '# HELP wait_seconds Waits',
    '# TYPE wait_seconds histogram',
    'wait_seconds_bucket{kind="long",le="0.001"} 1',
    'wait_seconds_bucket{kind="long",le="0.002"} 1',
    'wait_seconds_bucket{kind="long",le="+Inf"} 3',
    'wait_seconds_sum{kind="long"} 7',
    'wait_seconds_count{kind="long"} 3',
  ])
  counts[0] = 5
  t.ok((await lines()).includes('wait_seconds_count{kind="long"} 7'))
})
