import t, { type Test } from 'tap'
import { defaultPoolId } from '../../../src/model/pool.ts'
import type { Appliance } from '../../helpers/appliance.ts'
import { Dice } from '../../helpers/dice.ts'
import { digSentZone, digZone } from '../../helpers/dig-zone.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { startSecondary } from '../../helpers/peer-secondary.ts'
import { changeAtRandom, verifyTransferred } from '../../helpers/signed-appliance.ts'
import { startTurningDns } from '../../helpers/turning-dns.ts'
import { until } from '../../helpers/until.ts'
import { afterTransfer, kindOf, toSerial, transferFrom } from '../../helpers/zone-difference.ts'

// Secondaries that query a different node each time: data from one node continues with updates from another.

const key = { name: 'secondaries', secret: Buffer.alloc(32, 9).toString('base64') }
const words = ['-y', `hmac-sha256:${key.name}:${key.secret}`]
const apexes = { plain: 'plain.example.', signed: 'signed.example.' }

/** Three nodes with a zone of each kind, that anybody here may transfer and that those with the key are notified of. */
async function openZones(t: Test) {
  const cluster = await openNodes(t)
  const first = await cluster.start('zw1')
  const nodes = [first, await cluster.start('zw2'), await cluster.start('zw3')]
  const pool = { scope: 'POOL', resource_id: defaultPoolId }
  await first.json('POST', '/v2/tsigkeys', { ...key, algorithm: 'hmac-sha256', ...pool })
  const setPool = (attributes: object) =>
    first.json('PATCH', `/v2/pools/${defaultPoolId}`, { attributes })
  await setPool({ allow_transfer: `127.0.0.1,key:${key.name}` })
  const paths = new Map<string, string>()
  for (const name of Object.values(apexes)) {
    const draft = { name, email: 'ops@example.net' }
    const { id } = await first.json<{ id: string }>('POST', '/v2/zones', draft)
    paths.set(name, `/v2/zones/${id}`)
  }
  const pathOf = (apex: string) => paths.get(apex) ?? ''
  await first.json('PUT', `${pathOf(apexes.signed)}/dnssec`, {})
  await until(
    () => first.json<{ status: string }>('GET', `${pathOf(apexes.signed)}/dnssec`),
    ({ status }) => status === 'SIGNED',
  )
  // A difference is sent of a zone that is larger.
  for (const path of paths.values())
    for (let i = 0; i < 20; i += 1) {
      const recordset = { name: `first${i}`, type: 'A', records: [`192.0.2.${i}`] }
      await first.json('POST', `${path}/recordsets`, recordset)
    }
  return { nodes, pathOf, setPool }
}

/** Resolves with the serial that all nodes send. */
function commonSerial(nodes: readonly Appliance[], apex: string): Promise<number> {
  const serials = () =>
    Promise.all(nodes.map(async node => toSerial(await transferFrom(node.endpoint(), apex, 0))))
  const isCommon = (found: readonly number[]) =>
    found.every(serial => serial > 0 && serial === found[0])
  return until(serials, isCommon).then(([serial = 0]) => serial)
}

const { nodes, pathOf, setPool } = await openZones(t)

t.test('a difference from a serial of one node is the same at all', async t => {
  const dice = new Dice(16)
  const kinds = new Set<string>()
  for (const apex of Object.values(apexes)) {
    const from = await commonSerial(nodes, apex)
    const before = (await transferFrom(nodes[0]!.endpoint(), apex)).slice(1).toSorted()
    for (let i = 0; i < 12; i += 1)
      await changeAtRandom(nodes[i % 3] as Appliance, { path: pathOf(apex), apex, dice })
    const to = await commonSerial(nodes, apex)
    t.ok(to > from)
    for (const node of nodes) {
      const both = async () => ({
        sent: await transferFrom(node.endpoint(), apex, from),
        whole: await transferFrom(node.endpoint(), apex),
      })
      // A signed zone also changes by itself.
      const isOne = (found: Awaited<ReturnType<typeof both>>) =>
        toSerial(found.sent) === toSerial(found.whole)
      const { sent, whole } = await until(both, isOne)
      kinds.add(`${apex} ${kindOf(sent)}`)
      t.ok(toSerial(sent) >= to)
      t.same(afterTransfer(before, sent), whole.slice(1).toSorted())
    }
    if (apex !== apexes.plain) continue
    const [one, ...others] = await Promise.all(
      nodes.map(async node => (await transferFrom(node.endpoint(), apex, from)).toSorted()),
    )
    for (const other of others) t.same(other, one)
  }
  t.same([...kinds], [`${apexes.plain} difference`, `${apexes.signed} zone`])
})

for (const name of ['bind', 'knot'] as const)
  t.test(`${name} follows zones whose nodes it asks in turn`, async t => {
    const primary = await startTurningDns(
      t,
      nodes.map(node => node.endpoint()),
    )
    const dice = new Dice(17)
    const peers = new Map<string, number>()
    for (const apex of Object.values(apexes)) {
      const isServed = async (port: number) =>
        (await digZone({ host: '127.0.0.1', port }, apex).catch(() => '')).includes('soa')
      const peer = await startSecondary({ name, apex, primary, key }, isServed)
      t.teardown(() => peer.close())
      peers.set(apex, peer.port)
    }
    const also_notify = [...peers.values()].map(port => `127.0.0.1:${port} key:${key.name}`).join()
    await setPool({ allow_transfer: `127.0.0.1,key:${key.name}`, also_notify })
    for (let round = 0; round < 5; round += 1)
      for (const [apex, port] of peers) {
        for (const node of nodes) await changeAtRandom(node, { path: pathOf(apex), apex, dice })
        const own = { host: '127.0.0.1', port }
        // Signatures are those of one of the nodes.
        await until(async () => {
          const sent = nodes.map(node => digSentZone(node.endpoint(), apex, words))
          const found = await digZone(own, apex).catch(() => '')
          return (await Promise.all(sent)).includes(found)
        })
        if (apex === apexes.signed) verifyTransferred(t, own, { apex, when: `round ${round}` })
        else t.pass(`round ${round}: ${apex} is as the nodes have it`)
      }
  })
