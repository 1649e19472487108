import { request } from 'node:http'
import t from 'tap'
import { startApi, testAdminPassword } from '../helpers/api.ts'
import { thingMounts } from '../helpers/things.ts'

// ZONEWRIGHT_AUTH_NONE=on: whoever calls from the machine itself is the administrator, and nobody else.

type Case = {
  readonly rule: string
  readonly headers: Readonly<Record<string, string>>
  readonly status: number
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const cases: readonly Case[] = [
  { rule: 'no headers at all', headers: {}, status: 200 },
  { rule: 'what keystoneauth sends', headers: { 'x-auth-token': 'notused' }, status: 200 },
  { rule: 'the machine by its name', headers: { host: 'localhost:9001' }, status: 200 },
  { rule: 'the machine in IPv6', headers: { host: '[::1]:9001' }, status: 200 },
  { rule: 'a token that is none', headers: { 'x-auth-token': 'x' }, status: 401 },
  { rule: 'a wrong password', headers: { authorization: basic('admin:x') }, status: 401 },
  {
    rule: 'the right password',
    headers: { authorization: basic(`admin:${testAdminPassword}`) },
    status: 200,
  },
  { rule: 'a name that somebody else gave us', headers: { host: 'rebound.example' }, status: 401 },
  { rule: 'a name that begins like ours', headers: { host: 'localhost.example' }, status: 401 },
  { rule: 'another address', headers: { host: '192.0.2.1' }, status: 401 },
  { rule: 'through a proxy', headers: { 'x-forwarded-for': '192.0.2.1' }, status: 401 },
  { rule: 'through a modern proxy', headers: { forwarded: 'for=192.0.2.1' }, status: 401 },
  { rule: 'through an honest proxy', headers: { via: '1.1 proxy' }, status: 401 },
  { rule: 'by a page in a browser', headers: { origin: 'http://localhost' }, status: 401 },
  { rule: 'from a page in a browser', headers: { referer: 'http://a.example/' }, status: 401 },
]

/** Unlike fetch this lets a test choose the Host header. */
function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/v2/things/x`, { headers }, response => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .once('error', reject)
      .end()
  })
}

t.test('only what comes from the machine itself needs no credentials', async t => {
  const { url, clock } = await startApi(t, { mounts: thingMounts, allowsNoAuth: true })
  for (const { rule, headers, status } of cases) {
    t.equal(await statusOf(url, headers), status, rule)
    clock.advanceMillis(10_000)
  }
})

t.test('it is the administrator, whatever it says it is', async t => {
  const api = await startApi(t, { mounts: thingMounts, allowsNoAuth: true })
  const client = api.anonymous.with({
    'x-auth-user-id': 'u',
    'x-auth-project-id': 'alpha',
    'x-roles': 'reader',
  })
  const { body } = await client.get('/v2/things/x')
  const admin = api.store.find('projects', 'byName', 'default\nadmin')
  t.match(body.caller, { userName: 'admin', projectId: admin?.id })
  t.strictSame(body.caller.roles, ['admin', 'member', 'reader'])
})

t.test('without the setting nobody is let in', async t => {
  const { url } = await startApi(t, { mounts: thingMounts })
  t.equal(await statusOf(url, {}), 401)
  t.equal(await statusOf(url, { 'x-auth-token': 'notused' }), 401)
})
