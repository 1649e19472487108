import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { queryFor, replyFrom } from '../helpers/ask.ts'
import { fakeClock } from '../helpers/clock.ts'
import { exchange } from '../helpers/peer-server.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { requireSigned, signedRrsetsFrom } from '../helpers/verify-zone.ts'
import { startWholeServer, type WholeServer } from '../helpers/whole-server.ts'
import { transferFrom } from '../helpers/zone-difference.ts'

// Signed zones of data directories that earlier versions were killed with: their keys are known, go on being used, and roll.

const killedAtMillis = Date.parse('2026-11-23T17:22:00Z')
const quarterMillis = 900_000

function startKept(t: Test, name: string, environment: Readonly<Record<string, string>> = {}) {
  const dataDirectory = serverFolder(t)
  const kept = join(import.meta.dirname, '..', 'store', 'kept', name)
  cpSync(kept, dataDirectory, { recursive: true })
  return startWholeServer(t, { dataDirectory, environment, clock: fakeClock(killedAtMillis) })
}

/** Values of its DNSKEY records, as they are answered. */
async function dnskeysOf({ app }: WholeServer, zone: string): Promise<string[]> {
  const reply = replyFrom(await exchange(app.dns[0]?.port ?? 0, queryFor(`${zone} DNSKEY`)))
  return reply.answer.map(line => line.replace(/^.* DNSKEY /, '')).sort()
}

async function requireWhole({ app, clock }: WholeServer, zone: string): Promise<void> {
  const lines = await until(
    () => transferFrom(app.dns[0] as { host: string; port: number }, zone),
    ({ length }) => length > 1,
  )
  const seconds = Math.floor(clock.nowMillis() / 1000)
  requireSigned(signedRrsetsFrom(lines.slice(0, -1)), seconds, new Set())
}

/** The tag, goal and states of each key of a zone. */
async function keysOf({ admin }: WholeServer, zone: string): Promise<string[]> {
  const { body } = await admin.get(`/v2/zones/${zone}/dnssec`)
  const keys = body.keys as {
    tag: number
    role: string
    goal: string
    states: Record<string, string | null>
  }[]
  return keys.map(({ tag, role, goal, states }) => {
    const parts = [states.dnskey, states.zone_signatures, states.ds]
    return [role, tag, goal, ...parts.map(it => it?.[0] ?? '-')].join(' ')
  })
}

async function pass({ app, clock }: WholeServer, hours: number): Promise<void> {
  for (let left = hours * 4; left > 0; left -= 1) {
    clock.advanceMillis(quarterMillis)
    await app.runJob('roll-keys')
  }
}

t.test('keys of the first version, sealed and without states', async t => {
  const zone = 'kept.example.'
  const server = await startKept(t, 'signed-stateless', { ZONEWRIGHT_KEY_SECRET: 'a-kept-secret' })
  t.same(await dnskeysOf(server, zone), [
    '257 3 13 B4TwZD3o2tNr+T3lHbeNnCzBBS4CWpi17f09Tj5fINi/rkXs7Z3oLFcYzStAH68R7pvlmCynSlius3J/k3ULiQ==',
  ])
  await requireWhole(server, zone)
  await pass(server, 8)
  const [key = ''] = await keysOf(server, zone)
  t.match(key, / OMNIPRESENT O O R$/, 'its DS is asked for')
  await requireWhole(server, zone)
  await server.admin.post(`/v2/zones/${zone}/dnssec/tasks/roll`, { role: 'CSK' })
  t.match(await keysOf(server, zone), [/ HIDDEN O O R$/, / OMNIPRESENT R H H$/])
})

t.test('keys of the version that rolls them, killed within two rolls', async t => {
  const server = await startKept(t, 'signed-rolling')
  const csk =
    '257 3 13 Y01I26a5Gyrbv5W+xfIL8CmgIx8mAxB5mVx8VpLiyCM+xzC8/ZbmhewappkUhzcME4eGXT1pELLqNTu1ZjxjOQ=='
  t.same(await dnskeysOf(server, 'kept.example.'), [csk])
  t.same(await dnskeysOf(server, 'split.example.'), [
    '256 3 15 JotnKD9omu+em2i1mJSXxpn8SRRb7PimP4tV2jPpd4M=',
    '257 3 15 kUto4Ox1ZPOij3Q4tN+M3dWgLwP3y/+te7LHyJCNVB4=',
  ])
  for (const zone of ['kept.example.', 'split.example.']) await requireWhole(server, zone)
  await pass(server, 8)
  t.same(await keysOf(server, 'kept.example.'), ['CSK 45753 OMNIPRESENT O O R'])
  t.same((await keysOf(server, 'split.example.')).sort(), [
    'KSK 52335 OMNIPRESENT O - R',
    'ZSK 7229 OMNIPRESENT O O -',
  ])
  for (const zone of ['kept.example.', 'split.example.']) await requireWhole(server, zone)
  const { body } = await server.admin.get('/v2/dnssec_policies')
  t.match(body.dnssec_policies, [{ name: 'split', denial: 'NSEC' }])
})
