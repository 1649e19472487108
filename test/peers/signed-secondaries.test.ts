import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance } from '../helpers/appliance.ts'
import { Dice } from '../helpers/dice.ts'
import { digSentZone, digZone } from '../helpers/dig-zone.ts'
import { startSecondary } from '../helpers/peer-secondary.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { changeAtRandom, verifyTransferred } from '../helpers/signed-appliance.ts'
import { until } from '../helpers/until.ts'

// BIND and Knot as secondaries of a zone that is signed here: they follow its changes by IXFR, signatures included, and
// what they have is accepted by ldns-verify-zone and dnssec-verify.

const apex = 'made.example.'
const changeCount = 200
const atOnce = 4
const key = { name: 'secondaries', secret: Buffer.alloc(32, 9).toString('base64') }
const words = ['-y', `hmac-sha256:${key.name}:${key.secret}`]

t.test('BIND and Knot follow a signed zone, and have all of it signed', async t => {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.stop())
  const primary = server.endpoint()
  const pool = { scope: 'POOL', resource_id: defaultPoolId }
  await server.json('POST', '/v2/tsigkeys', { ...key, algorithm: 'hmac-sha256', ...pool })
  const allowed = { allow_transfer: `key:${key.name}` }
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes: allowed })
  const draft = { name: apex, email: 'ops@example.net' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', draft)
  const path = `/v2/zones/${id}`
  const dice = new Dice(13)
  for (let i = 0; i < 20; i += 1) await changeAtRandom(server, { path, apex, dice })
  await server.json('PUT', `${path}/dnssec`, {})
  await until(
    () => server.json<{ status: string }>('GET', `${path}/dnssec`),
    ({ status }) => status === 'SIGNED',
  )
  const at = (port: number) => ({ host: '127.0.0.1', port })
  const dump = (port: number) => digZone(at(port), apex).catch(() => 'no zone')
  const isServed = async (port: number) => (await dump(port)).includes('rrsig')
  const secondary = { apex, primary, key }
  const peers = [
    await startSecondary({ name: 'bind', ...secondary }, isServed),
    await startSecondary({ name: 'knot', ...secondary }, isServed),
  ]
  t.teardown(() => Promise.all(peers.map(peer => peer.close())))
  const also_notify = peers.map(({ port }) => `127.0.0.1:${port} key:${key.name}`).join(',')
  await server.json('PATCH', `/v2/pools/${defaultPoolId}`, {
    attributes: { ...allowed, also_notify },
  })
  const sentCount = async (content: string) => {
    const text = await (await server.request('GET', '/metrics')).text()
    return Number(new RegExp(`content="${content}"\\} (\\d+)`).exec(text)?.[1])
  }
  const wholeCount = await sentCount('zone')
  let ownCount = 0
  for (let made = 0; made < changeCount; made += atOnce) {
    for (let i = 0; i < atOnce; i += 1) await changeAtRandom(server, { path, apex, dice })
    for (const { port } of peers) {
      // The zone also changes by itself, as its signatures and keys come of age.
      await until(async () => {
        const found = await dump(port)
        ownCount += 1
        return found === (await digSentZone(primary, apex, words))
      })
      verifyTransferred(t, at(port), { apex, when: `after ${made + atOnce} changes` })
    }
  }
  t.ok((await sentCount('difference')) >= changeCount / atOnce)
  // Those of this test, and of a change that came before a secondary had its first copy.
  const wholeOfPeers = (await sentCount('zone')) - wholeCount - ownCount
  t.ok(wholeOfPeers < 10, `${wholeOfPeers} whole zones`)
})
