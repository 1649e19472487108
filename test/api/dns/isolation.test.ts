import t from 'tap'
import { dnsRoutes } from '../../../src/api/dns/routes.ts'
import { leastRoleOf, type Rule } from '../../../src/identity/policy.ts'
import { startDnsApi } from '../../helpers/dns-api.ts'

// Every route of the DNS group, asked about one project's things by those who have no part in them. What is
// answered must not tell whether a thing exists: an id that is somebody else's is answered as one that is nobody's.

const { dns, api } = await startDnsApi(t)
const owner = await api.clientOf({ project: 'owner' })
const stranger = await api.clientOf({ project: 'stranger' })
const reader = await api.clientOf({ project: 'owner', role: 'reader' })
const unknownId = '5b1c7f40-7d4e-4a53-9f0c-0a3c5b0f1d11'

const { body: zone } = await owner.post('/v2/zones', {
  name: 'private.example.',
  email: 'ops@example.com',
})
const path = `/v2/zones/${zone.id}`
const secret = { name: 'secret.private.example.', type: 'A', records: ['192.0.2.1'] }
const { body: recordset } = await owner.post(`${path}/recordsets`, secret)
const { body: share } = await owner.post(`${path}/shares`, { target_project_id: 'friend' })
const offer = { target_project_id: 'friend' }
const { body: request } = await owner.post(`${path}/tasks/transfer_requests`, offer)
const { body: acceptedZone } = await owner.post('/v2/zones', {
  name: 'accepted.example.',
  email: 'ops@example.com',
})
const { body: used } = await owner.post(`/v2/zones/${acceptedZone.id}/tasks/transfer_requests`)
const draft = { key: used.key, zone_transfer_request_id: used.id }
const { body: accept } = await owner.post('/v2/zones/tasks/transfer_accepts', draft)

const owned: Readonly<Record<string, string>> = {
  zone_id: zone.id,
  recordset_id: recordset.id,
  share_id: share.id,
  transfer_request_id: request.id,
  transfer_accept_id: accept.id,
}

/** A body that passes the schema of a route, so that what refuses is not the schema. */
const bodies: Readonly<Record<string, object>> = {
  'POST /zones/:zone_id/recordsets': { name: 'x.private.example.', type: 'A', records: [] },
  'POST /zones/:zone_id/shares': { target_project_id: 'stranger' },
}

function addressOf(template: string, ids: Readonly<Record<string, string>>): string {
  return template.replaceAll(/:(\w+)/g, (_, name) => ids[name] ?? unknownId)
}

const routes = dnsRoutes(dns).flatMap(route => {
  if (route.access === 'public' || route.rule === undefined) return []
  const { method, path: template, rule, bodySchema, produces } = route
  const key = `${method} ${template}`
  const body = bodySchema === undefined ? undefined : (bodies[key] ?? {})
  return [{ key, method, template, rule: rule as Rule, body, produces }]
})

type Call = (typeof routes)[number]

function optionsFor({ body, produces }: Call) {
  return {
    ...(body !== undefined && { body }),
    headers: produces ? { accept: String(produces) } : {},
  }
}

/** What a caller can tell apart. */
function visible({ status, body }: { status: number; body: { type?: string } | undefined }) {
  return { status, type: body?.type }
}

const before = JSON.stringify([...dns.store.list('recordsets', 'byZone', zone.id)])

t.test('nobody is told anything', async t => {
  for (const call of routes) {
    const address = `/v2${addressOf(call.template, owned)}`
    for (const client of [api.anonymous, api.anonymous.with({ 'x-auth-token': 'x'.repeat(40) })]) {
      t.equal((await client.call(call.method, address, optionsFor(call))).status, 401, call.key)
    }
  }
})

t.test('a stranger cannot tell another project’s thing from one that is not there', async t => {
  // Requests for one project alone are the exception that the rules make: 403, as in Designate.
  const isExcepted = (call: Call) => call.template.includes(':transfer_request_id')
  const targets = routes.filter(call => /:\w+/.test(call.template) && !isExcepted(call))
  t.ok(targets.length > 20)
  for (const base of ['/v2', '/dns/v2']) {
    for (const call of targets) {
      const options = optionsFor(call)
      const real = await stranger.call(call.method, base + addressOf(call.template, owned), options)
      const none = await stranger.call(call.method, base + addressOf(call.template, {}), options)
      if (call.key !== 'PATCH /quotas/:project_id') {
        t.same(visible(real), visible(none), `${base} ${call.key}`)
      }
      t.ok(real.status >= 400, `${base} ${call.key}: ${real.status}`)
    }
  }
})

t.test('a stranger’s lists are empty', async t => {
  const isList = (call: Call) => call.method === 'GET' && !call.template.includes(':')
  for (const call of routes.filter(isList)) {
    const { status, body } = await stranger.call('GET', `/v2${call.template}`, optionsFor(call))
    if (status !== 200) continue
    for (const rows of Object.values(body)) {
      if (Array.isArray(rows)) t.same(rows, [], call.key)
    }
    t.notMatch(JSON.stringify(body), /private\.example|192\.0\.2\.1/, call.key)
  }
})

t.test('a reader changes nothing', async t => {
  for (const call of routes.filter(({ rule }) => leastRoleOf(rule) === 'member')) {
    const address = `/dns/v2${addressOf(call.template, owned)}`
    const answer = await reader.call(call.method, address, optionsFor(call))
    t.ok([400, 403].includes(answer.status), `${call.key}: ${answer.status}`)
  }
})

t.test('and all of it is as it was', async t => {
  t.equal(JSON.stringify([...dns.store.list('recordsets', 'byZone', zone.id)]), before)
  t.equal((await owner.get(path)).status, 200)
  t.equal((await owner.get(`${path}/shares/${share.id}`)).status, 200)
})
