import t from 'tap'
import { defaultPoolId } from '../../src/model/pool.ts'
import { Appliance } from '../helpers/appliance.ts'
import { depth } from '../helpers/depth.ts'
import { Dice } from '../helpers/dice.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { peerNames, reader } from '../helpers/peer-recipes.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { afterTransfer, toSerial, transferFrom } from '../helpers/zone-difference.ts'

// A SECONDARY zone of ours follows random changes of its master, signed with a key, by IXFR where that has differences, and is
// equal after each round of them. A client that transfers it from us meanwhile gets one of the
// master's versions, never a state between two. Then it is deleted, and made again. With TEST_DEPTH=5 there are a thousand changes.

const roundCount = 8 * depth
const changesPerRound = 25
/** More than is written in one commit. */
const largeRound = roundCount / 2
const nameCount = 300
const key = { name: 'shared', secret: Buffer.alloc(32, 9).toString('base64') }

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
await server.liftQuotas()
const own = server.endpoint()
const pool = { scope: 'POOL', resource_id: defaultPoolId }
await server.json('POST', '/v2/tsigkeys', { ...key, algorithm: 'hmac-sha256', ...pool })

/** The zone of a serial, with the names that there are. */
function zoneText(apex: string, serial: number, names: ReadonlyMap<number, number>): string {
  return [
    `$ORIGIN ${apex}`,
    `@ 300 IN SOA ns host ${serial} 3600 3600 86400 60`,
    '@ 300 IN NS ns',
    'ns 300 IN A 192.0.2.1',
    ...Array.from(names, ([n, value]) => `n${n} 60 IN A 198.51.100.${value}`),
    '',
  ].join('\n')
}

const response = (place: { host: string; port: number }, apex: string) =>
  transferFrom(place, apex, undefined, reader)

for (const name of peerNames) {
  t.test(`a zone of ${name}, changed ${roundCount * changesPerRound} times`, async t => {
    const dice = new Dice(1035)
    const apex = `${name}.example.`
    const names = new Map(Array.from({ length: nameCount }, (_, i) => [2 * i, 1]))
    // It wraps on the way.
    let serial = 2 ** 32 - roundCount / 2
    const zone = { name, apex, zoneText: zoneText(apex, serial, names), key }
    const peer = await startPeer(t, { ...zone, secondaryPort: own.port }, async place => {
      const found = await response(place, apex).catch(() => [])
      return found.length > 1
    })
    const change = (count: number) => {
      serial = (serial + 1) % 2 ** 32
      for (let i = 0; i < count; i += 1) {
        const n = dice.below(2 * nameCount)
        if (!names.delete(n) || dice.below(2) === 0) names.set(n, 1 + dice.below(200))
      }
      return peer.change(zoneText(apex, serial, names))
    }
    const versions = new Set<string>()
    /** Waits until ours has the serial, and compares the two. */
    const compare = async () => {
      const seen: string[] = []
      const found = await until(
        async () => {
          const found = await response(own, apex)
          seen.push(afterTransfer([], found).join('\n'))
          return found
        },
        found => toSerial(found) === serial,
      )
      const present = afterTransfer([], await response(peer, apex))
      versions.add(present.join('\n'))
      t.same(afterTransfer([], found), present, `serial ${serial}`)
      return seen
    }
    const body = {
      name: apex,
      type: 'SECONDARY',
      masters: [`${peer.host}:${peer.port}`],
      attributes: { allow_transfer: reader, transfer_key: key.name },
    }
    const newSecondary = async () => {
      const { id } = await server.json<{ id: string }>('POST', '/v2/zones', body)
      await until(
        () => server.json<{ status: string }>('GET', `/v2/zones/${id}`),
        ({ status }) => status === 'ACTIVE',
      )
      return id
    }
    const [refusal = ''] = await transferFrom(peer, apex, undefined, own.host)
    t.match(refusal, /^(REFUSED|NOTAUTH)$/, 'nobody has it without the key')
    const id = await newSecondary()
    await compare()
    for (let round = 0; round < roundCount; round += 1) {
      await change(round === largeRound ? nameCount : changesPerRound)
      const seen = await compare()
      t.ok(
        seen.every(version => versions.has(version)),
        'nothing between two versions',
      )
    }
    await server.json('DELETE', `/v2/zones/${id}`)
    t.same(await response(own, apex), ['NOTAUTH'])
    await change(changesPerRound)
    await newSecondary()
    await compare()
  })
}
