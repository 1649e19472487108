import t from 'tap'
import { checkAnswer } from '../../../src/api/admin/answers.ts'
import { checkView } from '../../../src/api/admin/check.view.ts'
import { maintenanceMount } from '../../../src/api/admin/mount.ts'
import { types } from '../../../src/dns/codes.ts'
import { parseName } from '../../../src/dns/name.ts'
import { compile } from '../../../src/validator.ts'
import { startApi } from '../../helpers/api.ts'
import { addresses, callerOf, openDns, primary } from '../../helpers/dns.ts'

async function start(t: Parameters<typeof startApi>[0]) {
  const dns = await openDns()
  const { store, clock } = dns
  const zone = await dns.zones.create(callerOf('one'), primary('example.com.'))
  await dns.recordsets.create(callerOf('one'), zone.id, addresses('www.example.com.'))
  const mounts = () => [maintenanceMount(dns)]
  return { dns, api: await startApi(t, { store, clock, mounts }) }
}

t.test('administrators have the server check itself, and nobody else has', async t => {
  const { api } = await start(t)
  t.match(await api.admin.post('/admin/check'), {
    status: 200,
    body: {
      is_consistent: true,
      counts: { zones: 1, recordsets: 3, names: 2, unsettled_zones: 0 },
      findings: [],
      omitted_findings: 0,
    },
  })
  const member = await api.clientOf({ project: 'alpha' })
  t.match(await member.post('/admin/check'), { status: 403, body: { type: 'forbidden' } })
  t.equal((await api.anonymous.post('/admin/check')).status, 401)
  t.equal((await api.admin.get('/admin/check')).status, 405)
})

t.test('a finding says what differs, where, and what can be done', async t => {
  const { api, dns } = await start(t)
  dns.served.get(parseName('example.com.'))?.removeRrset(parseName('www.example.com.'), types.A)
  const { body } = await api.admin.post('/admin/check')
  t.equal(body.is_consistent, false)
  t.match(body.findings, [
    {
      kind: 'served',
      collection: 'recordsets',
      zone: 'example.com.',
      name: 'www.example.com.',
      type: 'A',
      problem: 'it is not answered',
      remedy: /Start the server again/,
    },
  ])
})

t.test('what the server says of a check is what the program can read', async t => {
  const { dns } = await start(t)
  const report = await dns.consistency.check()
  t.same(compile(checkAnswer)(checkView(report)), [])
  const finding = { kind: 'index', id: undefined, problem: 'p', remedy: 'r' } as const
  const view = checkView({ ...report, findings: [finding], omittedCount: 7 })
  t.match(view, { is_consistent: false, omitted_findings: 7 })
  t.same(compile(checkAnswer)(view), [])
})
