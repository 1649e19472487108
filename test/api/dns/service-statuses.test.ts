import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { dns, api } = await startDnsApi(t)
const { admin } = api
const member = await api.clientOf({ project: 'one' })
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

dns.serviceParts.push(
  { name: 'api', problem: undefined, stats: {} },
  {
    name: 'dns',
    designateNames: ['mdns'],
    problem: undefined,
    stats: { listen: ['192.0.2.1:53'] },
  },
  { name: 'store', designateNames: ['central', 'worker'], problem: 'the disk is full', stats: {} },
)
dns.serviceStatuses.beat()

const own = { dns: 'dns', failing: ['store'] }
// Designate's names for what does the same.
const designates = { dns: 'mdns', failing: ['central', 'worker'] }

for (const [base, denied, { dns: dnsName, failing }] of [
  ['/v2', 401, own],
  ['/dns/v2', 403, designates],
] as const) {
  for (const path of [`${base}/service_statuses`, `${base}/service_status`]) {
    t.test(`${path} tells what runs`, async t => {
      const { status, body } = await admin.get(path)
      t.equal(status, 200)
      const states = body.service_statuses.map((row: Record<string, unknown>) => [
        row.service_name,
        row.status,
      ])
      t.same(
        new Map(states),
        new Map([['api', 'UP'], [dnsName, 'UP'], ...failing.map(name => [name, 'DOWN'] as const)]),
      )
      t.notOk('metadata' in body)
      const [row] = (await admin.get(`${path}?service_name=${failing[0]}`)).body.service_statuses
      t.match(row, {
        hostname: 'ns.example',
        stats: { problem: 'the disk is full' },
        capabilities: {},
        heartbeated_at: /^\d{4}-.*\.\d{6}$/,
        links: { self: `${api.url}${base}/service_statuses/${row.id}` },
      })
      t.same((await admin.get(`${path}/${row.id}`)).body, row)
      t.match(await admin.get(`${path}/${unknownId}`), {
        status: 404,
        body: { type: 'service_status_not_found' },
      })
      for (const refused of [path, `${path}/${row.id}`]) {
        t.match(await member.get(refused), { status: denied, body: { type: 'forbidden' } })
      }
    })

    t.test(`${path} is filtered, sorted and paged`, async t => {
      const rows: [query: string, names: string[]][] = [
        ['?status=UP&sort_key=service_name', ['api', dnsName]],
        [
          '?hostname=ns.*&sort_key=service_name&sort_dir=desc',
          [...failing, dnsName, 'api'].sort().reverse(),
        ],
        ['?hostname=other', []],
      ]
      const namesOf = (body: { service_statuses: { service_name: string }[] }) =>
        body.service_statuses.map(row => row.service_name)
      for (const [query, names] of rows) {
        t.same(namesOf((await admin.get(path + query)).body), names, query)
      }
      for (const order of ['asc', 'desc']) {
        const seen: string[] = []
        let next: string | undefined = `${path}?limit=1&sort_dir=${order}`
        while (next !== undefined) {
          const { body } = await admin.get(next)
          seen.push(...namesOf(body))
          next = body.links.next
        }
        t.same(seen.toSorted(), ['api', dnsName, ...failing].sort())
      }
    })
  }
}

t.test('a part that has not beaten for half an hour is down', async t => {
  dns.clock.advanceMillis(1_801_000)
  const { body } = await admin.get('/v2/service_statuses?status=UP')
  t.same(body.service_statuses, [])
  dns.serviceParts.pop()
  dns.serviceStatuses.beat()
  const { body: again } = await admin.get('/v2/service_statuses')
  t.equal(again.service_statuses.length, 2, 'and one that is not there any more is forgotten')
})
