import { connect } from 'node:net'
import t from 'tap'
import { getDecimal } from '../../src/rating/decimal.ts'
import { startRatingApi } from '../helpers/rating-api.ts'
import { until } from '../helpers/until.ts'
import { usage } from '../helpers/usage.ts'

// A project that has much added up, more than once, and reads nothing.

t.test('a summary that nobody reads counts for its project', async t => {
  const { api, services } = await startRatingApi(t)
  const points = Array.from({ length: 28_800 }, (_, i) =>
    usage(`2026-10-01T${String(i % 24).padStart(2, '0')}`, 'one', '1', {
      price: getDecimal('0.1234567890123456789012345'),
      groupby: { id: `z${Math.floor(i / 24)}` },
    }),
  )
  await services.points.write({ origin: 'pushed', points })
  const fields = Array.from({ length: 16 }, (_, i) => `SUM(price) AS f${i}`).join(',')
  const asked = { begin: '2026-10-01', end: '2026-11-01', groupby: 'time,id', exact: 'true' }
  const path = `/v2/summary?${new URLSearchParams({ ...asked, format: 'csv', custom_fields: fields })}`
  const hostile = await api.clientOf({ project: 'one' })
  const token = hostile.headers['x-auth-token']
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1').pause()
  t.teardown(() => socket.destroy())
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-auth-token: ${token}\r\n\r\n`)
  const refusal = await until(
    () => hostile.get(path),
    ({ status }) => status !== 200,
  )
  t.equal(refusal.status, 429)
  socket.destroy()
  await until(
    () => hostile.get(path),
    ({ status }) => status === 200,
  )
})

t.test('a project has one thing added up after the other', async t => {
  const { api, services } = await startRatingApi(t)
  const begun: string[] = []
  let gate = Promise.withResolvers<void>()
  const snapshot = services.points.snapshot.bind(services.points)
  Object.assign(services.points, {
    snapshot(range: Parameters<typeof snapshot>[0]) {
      const [project = ''] = range.projectIds ?? []
      begun.push(project)
      const taken = snapshot(range)
      return {
        async *scan() {
          await gate.promise
          yield* taken.scan()
        },
        [Symbol.asyncDispose]: () => taken[Symbol.asyncDispose](),
      }
    },
  })
  const one = await api.clientOf({ project: 'one' })
  const two = await api.clientOf({ project: 'two' })
  for (const path of ['/v2/summary?begin=2026-10-01', '/v2/invoices/one/2026-10']) {
    const answers = [one.get(path), one.get(path)]
    await until(() => begun.includes('one'))
    answers.push(two.get(path.replace('one', 'two')))
    await until(() => begun.includes('two'))
    t.same(begun.splice(0), ['one', 'two'])
    gate.resolve()
    for (const { status } of await Promise.all(answers)) t.equal(status, 200)
    begun.splice(0)
    gate = Promise.withResolvers()
  }
})
