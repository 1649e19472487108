import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance, adminToken } from '../helpers/appliance.ts'
import { depth } from '../helpers/depth.ts'
import { digSentZone, digZone } from '../helpers/dig-zone.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { startSecondary } from '../helpers/peer-secondary.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'

// The servers people run as secondaries: they request a zone of ours with a TSIG key, by IXFR where they support it, are notified of
// each change, also signed with the key, and finally hold the same data as we do. With TEST_DEPTH=5 there are a thousand changes.

const roundCount = depth
const changedPerRound = 100
const last = roundCount * changedPerRound - 1
/** That are made at the same time. */
const atOnce = 20
const key = { name: 'secondaries', secret: Buffer.alloc(32, 9).toString('base64') }

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
const primary = server.endpoint()
const { name, secret } = key
const pool = { scope: 'POOL', resource_id: defaultPoolId }
await server.json('POST', '/v2/tsigkeys', { name, secret, algorithm: 'hmac-sha256', ...pool })

const signed = ['-y', `hmac-sha256:${name}:${secret}`]

/** Creates a zone from a file; its first serial is the last before the wrap-around. */
async function importZone(apex: string, serial: number): Promise<string> {
  const lines = [
    `$ORIGIN ${apex}`,
    `@ 60 SOA ns1.zonewright.example. ops ${serial} 3600 600 86400 60`,
    '@ 60 NS ns1.zonewright.example.',
    '*.wild 60 MX 10 mail.other.example.',
    'text 60 TXT "a;b" "\\"c\\""',
    ...Array.from({ length: 300 }, (_, i) => `first${i} 60 A 192.0.2.${i % 250}`),
  ]
  const response = await fetch(`${server.apiUrl}/v2/zones/tasks/imports`, {
    method: 'POST',
    headers: { 'x-auth-token': adminToken, 'content-type': 'text/dns' },
    body: `${lines.join('\n')}\n`,
  })
  const { id } = (await response.json()) as { id: string }
  const { zone_id: zoneId } = await until(
    () => server.json<{ status: string; zone_id: string }>('GET', `/v2/zones/tasks/imports/${id}`),
    ({ status }) => status === 'COMPLETE',
  )
  return zoneId
}

/** Adds, changes and removes recordsets, each with a serial of its own: two hundred, as many more are worth the whole zone to a
 *  secondary that asks for all of them at once. */
async function changeZone(zoneId: string, round: number): Promise<void> {
  const path = `/v2/zones/${zoneId}/recordsets`
  const change = async (i: number) => {
    const records = [`2001:db8::${i}`]
    const set = { name: `n${i}`, type: 'AAAA', records }
    const { id } = await server.json<{ id: string }>('POST', path, set)
    if (i % 10 !== 9) await server.json('DELETE', `${path}/${id}`)
    else await server.json('PUT', `${path}/${id}`, { records: [...records, '2001:db8::ffff'] })
  }
  const first = round * changedPerRound
  for (let i = first; i < first + changedPerRound; i += atOnce)
    await Promise.all(Array.from({ length: atOnce }, (_, j) => change(i + j)))
}

async function sentCount(content: string): Promise<number> {
  const text = await (await server.request('GET', '/metrics')).text()
  const [, count = ''] = new RegExp(`content="${content}"\\} (\\d+)`).exec(text) ?? []
  return Number(count)
}

for (const peerName of peerNames) {
  t.test(`${peerName} gets a zone, follows its changes and has the same in the end`, async t => {
    const apex = `${peerName}.example.`
    let zoneId = await importZone(apex, 2 ** 32 - 1)
    const attributes = { allow_transfer: `key:${name}` }
    await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
    const ofPeer = (port: number) =>
      digZone({ host: '127.0.0.1', port }, apex).catch(() => 'no zone')
    const isServed = async (port: number) => (await ofPeer(port)).includes('wild')
    const peer = await startSecondary({ name: peerName, apex, primary, key }, isServed)
    t.teardown(() => peer.close())
    const also_notify = `127.0.0.1:${peer.port} key:${name}`
    await server.json('PATCH', `/v2/pools/${defaultPoolId}`, {
      attributes: { ...attributes, also_notify },
    })
    const isSame = async () => {
      const expected = await digSentZone(primary, apex, signed)
      await until(
        () => ofPeer(peer.port),
        found => found === expected,
      )
      return expected
    }
    t.match(await isSame(), / 4294967295 /)
    const before = await sentCount('difference')
    let changed = ''
    for (let round = 0; round < roundCount; round += 1) {
      await changeZone(zoneId, round)
      changed = await isSame()
    }
    t.match(changed, new RegExp(`^n${last}\\..*\\bffff$`, 'm'))
    t.notMatch(changed, new RegExp(`^n${last - 2}\\.`, 'm'))
    const differenceCount = (await sentCount('difference')) - before
    t.ok(differenceCount > 0, `${differenceCount} differences`)

    await server.json('DELETE', `/v2/zones/${zoneId}`)
    zoneId = await importZone(apex, 2 ** 31 + 5)
    t.notMatch(await isSame(), new RegExp(`^n${last}\\.`, 'm'))
  })
}
