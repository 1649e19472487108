import t from 'tap'
import { types } from '../../src/dns/codes.ts'
import { parseName } from '../../src/dns/name.ts'
import { Appliance } from '../helpers/appliance.ts'
import { queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { changeAtRandom } from '../helpers/signed-appliance.ts'
import { frame, TcpClient } from '../helpers/tcp-client.ts'
import { until } from '../helpers/until.ts'
import { AnswerValidator } from '../helpers/verify-answer.ts'
import { transferFrom } from '../helpers/zone-difference.ts'

// kill -9 of a server with signed zones, anywhere in changes, rolls and changes of the policy: the first answers of the next process
// are signed and good, it has all keys that anybody has seen, and what it sends of a zone under a serial is what was sent
// under that serial before. With TEST_DEPTH=250 it is killed a thousand times.

const roundCount = 4 * depth
const timeout = 120_000 * roundCount
const apexes = ['one.example.', 'two.example.']

type KeyList = { readonly keys: readonly { readonly id: string }[] }

/** A signed zone, and what has been seen of it. */
class SeenZone {
  readonly apex: string
  readonly path: string
  readonly #keyIds = new Set<string>()
  readonly #contents = new Map<string, string>()

  constructor(apex: string, path: string) {
    this.apex = apex
    this.path = path
  }

  /** Returns the keys that are missing. No key is retired within the time of a test. */
  async noteKeys(server: Appliance): Promise<string[]> {
    const { keys } = await server.json<KeyList>('GET', `${this.path}/dnssec/keys`)
    const missing = [...this.#keyIds].filter(id => keys.every(key => key.id !== id))
    for (const { id } of keys) this.#keyIds.add(id)
    return missing
  }

  /** Returns how a transfer differs from an earlier one of the same serial. */
  async noteTransfer(server: Appliance): Promise<string[]> {
    const sent = await transferFrom(server.endpoint(), this.apex)
    // Each of several nodes makes signatures of its own.
    const isAlone = server.dataDirectories.length === 1
    const lines = sent.filter(line => isAlone || !line.includes(' RRSIG '))
    // Refused as long as the next serial is being made.
    if (lines.length < 2) return []
    const serial = lines[0]?.split(' ')[5] as string
    const content = [...new Set(lines)].sort().join('\n')
    const known = this.#contents.get(serial) ?? content
    this.#contents.set(serial, content)
    return known === content ? [] : [known, content]
  }
}

t.setTimeout(timeout)
t.test('kill -9 with signed zones', { timeout }, async t => {
  const dataDirectory = serverFolder(t)
  const dice = new Dice(15)
  let server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  const split = { name: 'split', keys: 'KSK+ZSK' }
  const { id } = await server.json<{ id: string }>('POST', '/v2/dnssec_policies', split)
  const policyIds = ['default', 'ed25519', 'nsec3', id]
  const zones: SeenZone[] = []
  for (const apex of apexes) zones.push(await createSigned(server, apex))
  for (let round = 1; round <= roundCount; round += 1) {
    const differences = await changeUntilKilled(server, { zones, policyIds, dice })
    server = await Appliance.start({ dataDirectory })
    for (const zone of zones) {
      await checkFirstAnswers(server, zone.apex)
      t.same(await zone.noteKeys(server), [], `round ${round}: ${zone.apex} has its keys`)
      differences.push(...(await zone.noteTransfer(server)))
    }
    t.same(differences, [], `round ${round}: one serial, one content`)
  }
})

async function createSigned(server: Appliance, apex: string): Promise<SeenZone> {
  const attributes = { allow_transfer: '127.0.0.1' }
  const draft = { name: apex, email: 'ops@example.net', attributes }
  const { id } = await server.json<{ id: string }>('POST', '/v2/zones', draft)
  const path = `/v2/zones/${id}`
  const www = { name: `www.${apex}`, type: 'A', records: ['192.0.2.1'] }
  await server.json('POST', `${path}/recordsets`, www)
  await server.json('PUT', `${path}/dnssec`, {})
  await until(
    () => server.json<{ status: string }>('GET', `${path}/dnssec`),
    ({ status }) => status === 'SIGNED',
  )
  return new SeenZone(apex, path)
}

/** Changes zones, their keys and their policies, and looks at them meanwhile, until the server is killed somewhere in it. Returns
 *  what differed with the same serial. */
async function changeUntilKilled(
  server: Appliance,
  {
    zones,
    policyIds,
    dice,
  }: { readonly zones: readonly SeenZone[]; readonly policyIds: readonly string[]; dice: Dice },
): Promise<string[]> {
  const differences: string[] = []
  let isDead = false
  const change = async (zone: SeenZone) => {
    const dnssec = `${zone.path}/dnssec`
    while (!isDead) {
      const kind = dice.below(12)
      // An operation that is impossible at this time is refused.
      if (kind === 0) await server.request('POST', `${dnssec}/tasks/roll`, { role: 'CSK' })
      else if (kind === 1) await server.request('POST', `${dnssec}/tasks/sign`)
      else if (kind === 2) await server.request('PUT', dnssec, { policy_id: dice.pick(policyIds) })
      else if (kind === 3) await zone.noteKeys(server)
      else if (kind < 6) differences.push(...(await zone.noteTransfer(server)))
      else await changeAtRandom(server, { path: zone.path, apex: zone.apex, dice })
    }
  }
  let left = 1 + dice.below(20)
  const ended = zones.map(zone => change(zone))
  const ask = async () => {
    // Each look takes a while, so that the kill hits any of the concurrent changes.
    for (; left > 0; left -= 1) await askSigned(server, `www.${zones[0]?.apex} A`)
    isDead = true
    await server.kill()
  }
  await Promise.all([ask(), ...ended.map(it => it.catch(requireDead))])
  return differences

  function requireDead(error: unknown): void {
    if (!isDead) throw error
  }
}

async function checkFirstAnswers(server: Appliance, apex: string): Promise<void> {
  const replies: Reply[] = []
  for (const question of ['DNSKEY', 'SOA'])
    replies.push(await askSigned(server, `${apex} ${question}`))
  replies.push(await askSigned(server, `www.${apex} A`))
  replies.push(await askSigned(server, `nothing.here.${apex} A`))
  replies.push(await askSigned(server, `www.${apex} MX`))
  const dnskeys = (replies[0]?.message.answers ?? []).filter(({ type }) => type === types.DNSKEY)
  if (dnskeys.length === 0) throw new Error(`${apex} has no keys`)
  const validator = new AnswerValidator(parseName(apex), ...dnskeys.map(({ rdata }) => rdata))
  for (const reply of replies) {
    if (reply.rcode === 'SERVFAIL') throw new Error(`${apex}: SERVFAIL`)
    validator.check(reply, Math.floor(Date.now() / 1000))
  }
}

async function askSigned(server: Appliance, question: string): Promise<Reply> {
  const client = await TcpClient.connect(server.endpoint())
  try {
    await client.write(frame(queryFor(question, { edns: { isDnssecOk: true } })))
    return replyFrom((await client.read()) ?? Buffer.alloc(0))
  } finally {
    client.socket.destroy()
  }
}
