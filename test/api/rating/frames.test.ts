import t from 'tap'
import { startRatingApi } from '../../helpers/rating-api.ts'

// Frames that are many, and frames that nobody should be billed by: refused as a whole, in each dialect.

const bases = ['/v2', '/rating/v2'] as const

const period = { begin: '20261101T000000Z', end: '20261101T010000Z' }

function entry(qty: unknown, more: object = {}) {
  return {
    vol: { unit: 'Mquery', qty },
    rating: { price: '0.5' },
    groupby: { project_id: 'p1' },
    metadata: {},
    ...more,
  }
}

function frame(entries: readonly unknown[], more: object = {}) {
  return { period, usage: { 'dns.queries': entries }, ...more }
}

for (const base of bases) {
  t.test(
    `${base}: a frame that is wrong is reported with its place, and nothing is stored`,
    async t => {
      const { api } = await startRatingApi(t)
      const sound = frame([entry(1)])
      const cases: readonly (readonly [unknown, RegExp])[] = [
        [{}, /^required key not provided \(path: '\['dataframes'\]'\)$/],
        [{ dataframes: [] }, /^Parameter dataframes must not be empty\./],
        [{ dataframes: {} }, /^expected a list \(path: '\['dataframes'\]'\)$/],
        [{ dataframes: [sound], more: 1 }, /^extra keys not allowed \(path: '\['more'\]'\)$/],
        [{ dataframes: [sound, 7] }, /^expected an object \(path: '\['dataframes', 1\]'\)$/],
        [{ dataframes: [sound, { period }] }, /\['dataframes', 1, 'usage'\]/],
        [{ dataframes: [sound, { usage: {} }] }, /\['dataframes', 1, 'period'\]/],
        [{ dataframes: [sound, frame([entry(1, { vol: { unit: 'x' } })])] }, /'vol', 'qty'\]/],
        [{ dataframes: [sound, frame([entry(1, { groupby: undefined })])] }, /0, 'groupby'\]/],
        [{ dataframes: [sound, frame([entry(1, { metadata: { a: {} } })])] }, /'metadata', 'a'\]/],
        [
          { dataframes: [sound, frame([entry(1), entry(1, { rating: { cost: 1 } })])] },
          /1, 'rating'/,
        ],
        [{ dataframes: [frame([], { period: { begin: 'soon', end: period.end } })] }, /'begin'\]/],
        [
          { dataframes: [frame([], { period: { begin: period.end, end: period.begin } })] },
          /'end'\]/,
        ],
        ['[', /^The body is not valid JSON$/],
        ['[]', /^expected an object/],
        ['', /empty body/],
      ]
      for (const [body, message] of cases) {
        const answer = await api.admin.post(`${base}/dataframes`, body)
        t.equal(answer.status, 400, String(message))
        t.match(answer.body.message, message)
        t.same(Object.keys(answer.body), ['message'])
      }
      t.equal((await api.admin.get('/v2/dataframes')).body.total, 0)
    },
  )

  t.test(
    `${base}: a quantity or price that is no finite number of 40 digits is refused`,
    async t => {
      const { api } = await startRatingApi(t)
      const numbers = [
        '"NaN"',
        '"nan"',
        '"Infinity"',
        '"-Infinity"',
        '"inf"',
        '1e400',
        '-1e400',
        '1e40',
        '1e-41',
        '1'.repeat(41),
        `"${'1'.repeat(41)}"`,
        '"0x10"',
        '"1,5"',
        '""',
        'true',
        'null',
        '[1]',
      ]
      const text = (qty: string, price: string) =>
        JSON.stringify({
          dataframes: [frame([entry(1)]), frame([entry('QTY', { rating: { price: 'PRICE' } })])],
        })
          .replace('"QTY"', qty)
          .replace('"PRICE"', price)
      for (const number of numbers) {
        const ofQuantity = await api.admin.post(`${base}/dataframes`, text(number, '1'))
        t.match(
          [ofQuantity.status, ofQuantity.body.message],
          [400, /\(path: '\['dataframes', 1, 'usage', 'dns\.queries', 0, 'vol', 'qty'\]'\)$/],
          number,
        )
        const ofPrice = await api.admin.post(`${base}/dataframes`, text('1', number))
        t.match([ofPrice.status, ofPrice.body.message], [400, /'rating', 'price'\]'\)$/], number)
      }
      for (const number of ['NaN', 'Infinity', '-Infinity'])
        t.match(
          (await api.admin.post(`${base}/dataframes`, text(number, '1'))).body.message,
          /^The body is not valid JSON$/,
        )
      t.equal((await api.admin.get('/v2/dataframes')).body.total, 0)
    },
  )

  t.test(`${base}: numbers of 40 digits and below zero are kept and added up exactly`, async t => {
    const { api } = await startRatingApi(t)
    const digits = `${'9'.repeat(12)}.${'9'.repeat(28)}`
    const prices = [digits, `-${digits}`, '-2.5', '0.0000000000000000000000000000000000000001']
    const entries = prices.map(price => entry('-1', { rating: { price } }))
    const added = await api.admin.post(`${base}/dataframes`, { dataframes: [frame(entries)] })
    t.equal(added.status, 204)
    const total = await api.admin.get('/rating/v1/report/total?all_tenants=true')
    t.equal(total.body, '-2.4999999999999999999999999999999999999999')
    const { body } = await api.admin.get(`${base}/summary`)
    t.strictSame(body.results[0].slice(2), [-4, -2.5])
  })

  t.test(`${base}: digits of a bare number that a float would lose are added up`, async t => {
    const { api } = await startRatingApi(t)
    const body = JSON.stringify({ dataframes: [frame([entry('QTY'), entry(-0.1)])] })
    const exact = body.replace('"QTY"', '0.1000000000000000000000000001')
    t.equal((await api.admin.post(`${base}/dataframes`, exact)).status, 204)
    t.equal((await api.admin.get(`${base}/summary`)).body.results[0][2], 1e-28)
  })

  t.test(`${base}: ten thousand frames come in one request, or none of them`, async t => {
    const { api } = await startRatingApi(t)
    const dataframes: unknown[] = Array.from({ length: 10_000 }, () => frame([entry(1)]))
    const broken = dataframes.with(9_998, frame([entry('NaN')])).with(9_999, {})
    const refused = await api.admin.post(`${base}/dataframes`, { dataframes: broken })
    t.match([refused.status, refused.body.message], [400, /'dataframes', 9998, 'usage'/])
    t.equal((await api.admin.get('/v2/dataframes')).body.total, 0)
    const tooMany = { dataframes: [...dataframes, frame([entry(1)])] }
    t.equal((await api.admin.post(`${base}/dataframes`, tooMany)).status, 400)
    t.equal((await api.admin.post(`${base}/dataframes`, { dataframes })).status, 204)
    const { body } = await api.admin.get(`${base}/summary?custom_fields=count(qty) AS points`)
    t.equal(body.results[0][2], 10_000)
  })
}

t.test('a body has up to 8 MiB', async t => {
  const { api } = await startRatingApi(t)
  const body = JSON.stringify({ dataframes: [frame([entry(1)])] })
  const post = async (octets: number) =>
    (await api.admin.post('/v2/dataframes', body.padEnd(octets))).status
  t.equal(await post(8 * 1024 * 1024), 204)
  t.equal(await post(8 * 1024 * 1024 + 1), 413)
})
