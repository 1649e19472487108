import t from 'tap'
import { startDnsApi } from '../../helpers/dns-api.ts'

const { api } = await startDnsApi(t)
const one = await api.clientOf({ project: 'one' })
const two = await api.clientOf({ project: 'two' })
const reader = await api.clientOf({ project: 'one', role: 'reader' })
const zone = (await one.post('/v2/zones', { name: 'example.com.', email: 'ops@example.com' })).body
const path = `/v2/zones/${zone.id}/update_policy`

t.test('nobody may, until rules say so', async t => {
  t.same((await reader.get(path)).body, { rules: [] })
  const rules = [
    { key: 'acme.', match: 'name', name: '_acme-challenge', types: ['txt'] },
    { addresses: ['192.0.2.0/24', '2001:db8::1'], match: 'zone' },
    { key: 'host.example.com.', match: 'self' },
  ]
  const shown = [
    {
      key: 'acme.',
      addresses: [],
      match: 'name',
      name: '_acme-challenge.example.com.',
      types: ['TXT'],
    },
    { key: null, addresses: ['192.0.2.0/24', '2001:db8::1'], match: 'zone', name: null, types: [] },
    { key: 'host.example.com.', addresses: [], match: 'self', name: null, types: [] },
  ]
  t.match(await one.put(path, { rules }), { status: 200, body: { rules: shown } })
  t.same((await one.get(path)).body, { rules: shown })
  t.match(await one.put(path, { rules: shown }), { status: 200, body: { rules: shown } })
  t.match(await one.put(path, { rules: [] }), { status: 200, body: { rules: [] } })
})

t.test('rules that make no sense', async t => {
  for (const rule of [
    { match: 'zone' },
    { match: 'self', addresses: ['192.0.2.1'] },
    { key: 'k', match: 'name' },
    { key: 'k', match: 'zone', name: 'www' },
    { key: 'k', match: 'wildcard', name: 'www' },
    { key: 'k', match: 'zone', addresses: ['192.0.2.1/33'] },
    { key: 'k', match: 'everything' },
  ])
    t.match(await one.put(path, { rules: [rule] }), {
      status: 400,
      body: { type: 'invalid_object' },
    })
  const rule = { key: 'k', match: 'name', name: 'www.example.net.' }
  const answer = await one.put(path, { rules: [rule] })
  t.match(answer, { status: 400, body: { type: 'invalid_recordset_location' } })
})

t.test('there are at most 100', async t => {
  const rules = Array.from({ length: 101 }, () => ({ key: 'k.', match: 'zone' }))
  t.match(await one.put(path, { rules }), { status: 400, body: { type: 'invalid_object' } })
  t.match(await one.put(path, { rules: rules.slice(1) }), { body: { rules: { length: 100 } } })
})

t.test('they are the owner’s', async t => {
  t.match(await two.get(path), { status: 404 })
  t.match(await two.put(path, { rules: [] }), { status: 404 })
  t.match(await reader.put(path, { rules: [] }), { status: 401 })
})
