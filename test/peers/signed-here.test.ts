import t, { type Test } from 'tap'
import { Appliance, adminToken } from '../helpers/appliance.ts'
import { queryFor, type Reply, replyFrom } from '../helpers/ask.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { exchange, type Peer, startPeer } from '../helpers/peer-server.ts'
import { randomSignable, type SignableZone } from '../helpers/random-signable.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { askedTypes, essence } from '../helpers/signed-answers.ts'
import { run } from '../helpers/signed-appliance.ts'
import { until } from '../helpers/until.ts'

// Zones that are signed here, transferred to Knot and BIND: all three give the same answers with DO, in each kind of denial.

const zoneCount = 60 * depth
const zonesAtOnce = 20
const defaultPool = '794ccc2c-d751-44fe-b57f-8894c9f5c842'

async function startServer(t: Test) {
  const server = await Appliance.start({ dataDirectory: serverFolder(t) })
  t.teardown(() => server.kill())
  await server.liftQuotas()
  const attributes = { allow_transfer: '127.0.0.1' }
  await server.json('PATCH', `/v2/pools/${defaultPool}`, { attributes })
  const draft = { name: 'opt-out', denial: 'NSEC3_OPT_OUT' }
  const optOut = await server.json<{ id: string }>('POST', '/v2/dnssec_policies', draft)
  return { server, policies: ['default', 'nsec3', optOut.id] }
}

/** Returns the zone as it is transferred once it is signed. */
async function signedText(
  t: Test,
  server: Appliance,
  { apex, text, policyId }: SignableZone & { readonly policyId: string | undefined },
): Promise<string> {
  const headers = { 'x-auth-token': adminToken, 'content-type': 'text/dns' }
  const request = { method: 'POST', headers, body: text }
  const response = await fetch(`${server.apiUrl}/v2/zones/tasks/imports`, request)
  const { id } = (await response.json()) as { id: string }
  const { zone_id: zoneId, message } = await until(
    () =>
      server.json<{ status: string; zone_id: string; message: string }>(
        'GET',
        `/v2/zones/tasks/imports/${id}`,
      ),
    ({ status }) => status === 'COMPLETE' || status === 'ERROR',
  )
  if (zoneId === null) throw new Error(`${message}\n${text}`)
  const path = `/v2/zones/${zoneId}/dnssec`
  await server.json('PUT', path, { policy_id: policyId })
  await until(
    () => server.json<{ status: string }>('GET', path),
    ({ status }) => status === 'SIGNED',
  )
  const { host, port } = server.endpoint()
  const words = [`@${host}`, '-p', `${port}`, apex, 'AXFR', '+onesoa', '+noall', '+answer']
  return until(
    async () => run(t.testdirName, 'dig', ...words),
    found => / SOA|\tSOA/.test(found),
  )
}

t.test('Knot and BIND answer zones that are signed here as we do', async t => {
  t.testdir()
  const { server, policies } = await startServer(t)
  const dice = new Dice(15)
  const zones = Array.from({ length: zoneCount }, (_, i) => ({
    ...randomSignable(dice, `z${i}.example.`),
    policyId: policies[i % policies.length],
  }))
  const texts: { apex: string; text: string }[] = []
  for (let at = 0; at < zones.length; at += zonesAtOnce) {
    const part = zones.slice(at, at + zonesAtOnce)
    const made = part.map(async zone => ({
      apex: zone.apex,
      text: await signedText(t, server, zone),
    }))
    texts.push(...(await Promise.all(made)))
  }
  const probe = queryFor(`${zones.at(-1)?.apex} SOA`)
  const peers: Peer[] = []
  for (const kind of ['knot', 'bind'] as const) {
    const peer = await startPeer(kind, { zones: texts, probe })
    t.teardown(() => peer.close())
    peers.push(peer)
    // They load zones one by one.
    for (const { apex } of texts) {
      await until(
        async () => replyFrom(await peer.exchange(queryFor(`${apex} SOA`))),
        ({ rcode }) => rcode === 'NOERROR',
      )
    }
  }
  const { port } = server.endpoint()
  let asked = 0
  for (const { apex, questions, text } of zones) {
    const differing: unknown[] = []
    for (const name of questions) {
      const answers = askedTypes.map(async type => {
        const request = queryFor(`${name} ${type}`, { edns: { isDnssecOk: true } })
        const ours = unsigned(replyFrom(await exchange(port, request)))
        for (const peer of peers) {
          const theirs = unsigned(replyFrom(await peer.exchange(request)))
          asked += 1
          if (ours === theirs) continue
          differing.push({ question: `${name} ${type}`, kind: peer.kind, ours, theirs })
        }
      })
      await Promise.all(answers)
    }
    t.strictSame(differing, [], `${apex}\n${differing.length > 0 ? text : ''}`)
  }
  t.comment(`${asked} answers compared`)
})

/** An answer without what differs with the serial, which moves while keys are introduced: the serial, and times and octets of
 *  signatures. */
function unsigned(reply: Reply): string {
  // Where aliases lead back to each other, BIND has SERVFAIL with the same records, and Knot has some of them several times.
  const { rcode, answer } = reply
  const known = isLoop(reply)
    ? { rcode: 'NOERROR', answer: [...new Set(answer)] }
    : { rcode, answer }
  return JSON.stringify(essence({ ...reply, ...known }))
    .replaceAll(/( rrsig \S+ \d+ \d+ \d+) \d{14} \d{14} (\d+ \S+) [^"]+/g, '$1 $2')
    .replaceAll(/( soa \S+ \S+) \d+/g, '$1')
}

/** Whether each alias of an answer leads to another one of it. */
function isLoop({ answer }: Reply): boolean {
  const aliases = answer.map(line => line.toLowerCase().split(' ')).filter(it => it[2] === 'cname')
  const owners = new Set(aliases.map(([owner]) => owner))
  return aliases.length > 0 && aliases.every(([, , , target]) => owners.has(target))
}
