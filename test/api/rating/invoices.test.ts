import t from 'tap'
import type { ScopeState } from '../../../src/model/rating.ts'
import { add, formatDecimal, getDecimal, zero } from '../../../src/rating/decimal.ts'
import { Dice } from '../../helpers/dice.ts'
import { startRatingApi } from '../../helpers/rating-api.ts'
import { scopeState } from '../../helpers/scope-states.ts'
import { at, usage } from '../../helpers/usage.ts'

type Line = { readonly metric: string; readonly sum: string; readonly quantity: string }
const zone = { id: 'z1', zone_name: 'a.example.' }
const month = '2026-11'

t.test('an invoice has a line for each zone, metric and tier', async t => {
  const { api, services } = await startRatingApi(t)
  const price = (text: string) => ({ price: getDecimal(text) })
  const points = [
    usage(`${month}-01T05`, 'p1', '2', { ...price('0.2'), groupby: zone, metadata: { tier: '0' } }),
    usage(`${month}-02T05`, 'p1', '1', { ...price('0.1'), groupby: zone, metadata: { tier: '0' } }),
    usage(`${month}-02T05`, 'p1', '3', { ...price('0.1'), groupby: zone, metadata: { tier: '1' } }),
    usage(`${month}-03T05`, 'p1', '1', { ...price('1'), metric: 'volume', unit: 'GiB' }),
    usage('2026-10-31T23', 'p1', '1', { ...price('9'), groupby: zone }),
    usage(`${month}-03T05`, 'p2', '1', { ...price('9'), groupby: zone }),
  ]
  await services.points.write({ origin: 'pushed', points })
  const { status, body } = await api.admin.get(`/v2/invoices/p1/${month}`)
  t.equal(status, 200)
  const queries = { zone_id: 'z1', zone_name: 'a.example.', metric: 'dns.queries', unit: 'Mquery' }
  t.same(body, {
    project_id: 'p1',
    project_name: null,
    month,
    begin: '2026-11-01T00:00:00+00:00',
    end: '2026-12-01T00:00:00+00:00',
    status: 'open',
    rated_until: '2026-11-01T00:00:00+00:00',
    currency: 'EUR',
    rounding: null,
    total: '1.40',
    lines: [
      {
        ...{ zone_id: '', zone_name: '', metric: 'volume', unit: 'GiB', quantity: '1' },
        ...{ tier: null, price: '1', sum: '1.00' },
      },
      { ...queries, quantity: '3', tier: '0', price: '0.1', sum: '0.30' },
      { ...queries, quantity: '3', tier: '1', price: '0.0333333333', sum: '0.10' },
    ],
    not_rated: [],
  })
})

t.test('the total is that of the summary to the last digit, and lines add up to it', async t => {
  const { api, services } = await startRatingApi(t)
  const dice = new Dice(5)
  const points = Array.from({ length: 3000 }, (_, i) => {
    const number = `${dice.below(1000)}.${dice.below(10 ** 9)}`
    const id = `z${dice.below(40)}`
    return usage(`${month}-${String(1 + (i % 20)).padStart(2, '0')}T05`, 'p1', number, {
      price: getDecimal(`0.${dice.below(10 ** 9)}1`),
      groupby: { id, zone_name: `${id}.example.` },
    })
  })
  await services.points.write({ origin: 'pushed', points })
  const path = `/v2/invoices/p1/${month}`
  const asked = `begin=${month}-01&end=2026-12-01&filters=project_id:p1`
  const sumOf = async (query: string) =>
    (await api.admin.get(`/v2/summary?${asked}&${query}format=csv`)).text.split(',').at(-1)?.trim()
  const exact = (await api.admin.get(`${path}?exact=true`)).body
  t.equal(exact.total, await sumOf('exact=true&'))
  t.equal(exact.rounding, null)
  const { body } = await api.admin.get(path)
  t.equal(body.total, await sumOf(''))
  const added = (texts: readonly string[]) =>
    formatDecimal(texts.reduce((sum, text) => add(sum, getDecimal(text)), zero))
  const sums = body.lines.map(({ sum }: Line) => sum)
  t.equal(added([...sums, body.rounding ?? '0']), formatDecimal(getDecimal(body.total)))

  const csv = (await api.admin.get(`${path}?format=csv`)).text.trimEnd().split('\r\n')
  const rows = csv.slice(1).map(line => line.split(','))
  t.same(new Set(rows.map(([kind]) => kind)), new Set(['line', 'rounding', 'total']))
  const columns = rows.filter(([kind]) => kind !== 'total').map(row => row.at(-1) ?? '')
  t.equal(added(columns), added([rows.at(-1)?.at(-1) ?? '']))
})

t.test('an hour that is stored and not in its scope yet is not rated', async t => {
  const { api, services } = await startRatingApi(t)
  const price = getDecimal('1')
  const points = [`${month}-01T05`, `${month}-01T06`].map(hour => usage(hour, 'p1', '2', { price }))
  await services.points.write({ origin: 'dns', points })
  const rated = async (changes: Partial<ScopeState>) => {
    await api.store.commit(tx => tx.put('scopeStates', scopeState('p1', changes)))
    const { body } = await api.admin.get(`/v2/invoices/p1/${month}`)
    return [body.rated_until, body.total]
  }
  const until6 = [`${month}-01T06:00:00+00:00`, '1.00']
  t.same(await rated({ lastProcessed: at(`${month}-01T05`) }), until6)
  t.same(await rated({ lastProcessed: at(`${month}-01T05`), isActive: false }), until6, 'off')
  const until7 = [`${month}-01T07:00:00+00:00`, '2.00']
  t.same(await rated({ lastProcessed: at(`${month}-01T06`) }), until7)
})

t.test('a page to print says what is in it, and nothing of it is a tag', async t => {
  const { api, services } = await startRatingApi(t)
  const groupby = { id: 'z', zone_name: '<script>&"' }
  const price = getDecimal('1')
  const points = [usage(`${month}-01T05`, 'p1', '2.12345678', { price, groupby })]
  await services.points.write({ origin: 'pushed', points })
  const client = api.admin.with({ accept: 'text/html' })
  const { text, headers } = await client.get(`/v2/invoices/p1/${month}`)
  t.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  t.match(headers.get('content-security-policy'), /^default-src 'none'/)
  t.match(text, '<td>&lt;script&gt;&amp;&quot;</td>')
  t.notMatch(text, '<script')
  t.match(text, '<td class="n">2.123457</td>')
  t.match(text, /Total<\/td>.*EUR.*1\.00<\/td>/)
})

t.test('a project sees its own, and what is no month is refused', async t => {
  const { api } = await startRatingApi(t)
  const member = await api.clientOf({ project: 'alpha' })
  const own = api.store.find('projects', 'byName', 'default\nalpha')?.id ?? ''
  t.match(await member.get(`/v2/invoices/${own}/${month}`), {
    status: 200,
    body: { project_name: 'alpha', lines: [] },
  })
  const page = (await member.get(`/v2/invoices/${own}/${month}?format=html`)).text
  t.match(page, `<p>Project alpha (${own})</p>`)
  t.match(await member.get(`/v2/invoices/other/${month}`), { status: 403 })
  t.equal((await api.anonymous.get(`/v2/invoices/${own}/${month}`)).status, 401)
  for (const path of ['2026-13', '2026', '26-11', '2999-01', `${month}?format=pdf`, `${month}?x=1`])
    t.match(await member.get(`/v2/invoices/${own}/${path}`), { status: 400 }, path)
})
