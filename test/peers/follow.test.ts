import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { Dice } from '../helpers/dice.ts'
import { startPeer } from '../helpers/peer-primary.ts'
import { peerNames } from '../helpers/peer-recipes.ts'
import { serverFolder } from '../helpers/server-folder.ts'
import { until } from '../helpers/until.ts'
import { afterTransfer, toSerial, transferFrom } from '../helpers/zone-difference.ts'

// A SECONDARY zone of ours follows a thousand random changes of its master, by IXFR where that has differences, and is equal after
// each round of them. Who transfers it from us meanwhile has one of the master's versions, and never what is between two.

const roundCount = 40
const changesPerRound = 25
/** More than is written in one commit. */
const largeRound = 20
const nameCount = 300

const server = await Appliance.start({ dataDirectory: serverFolder(t) })
t.teardown(() => server.stop())
await server.liftQuotas()
const own = server.endpoint()

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

const versionFrom = async (place: { host: string; port: number }, apex: string) =>
  afterTransfer([], await transferFrom(place, apex))

for (const name of peerNames) {
  t.test(`a zone of ${name}, changed a thousand times`, async t => {
    const dice = new Dice(1035)
    const apex = `${name}.example.`
    const names = new Map(Array.from({ length: nameCount }, (_, i) => [2 * i, 1]))
    let serial = 2 ** 32 - roundCount / 2
    const peer = await startPeer(
      t,
      { name, apex, zoneText: zoneText(apex, serial, names), secondaryPort: own.port },
      async place => {
        const found = await transferFrom(place, apex).catch(() => [])
        return found.length > 1
      },
    )
    const attributes = { allow_transfer: own.host }
    const masters = [`${peer.host}:${peer.port}`]
    const body = { name: apex, type: 'SECONDARY', masters, attributes }
    const { id } = await server.json<{ id: string }>('POST', '/v2/zones', body)
    await until(
      () => server.json<{ status: string }>('GET', `/v2/zones/${id}`),
      ({ status }) => status === 'ACTIVE',
    )
    const versions = new Set([(await versionFrom(peer, apex)).join('\n')])
    for (let round = 0; round < roundCount; round += 1) {
      serial = (serial + 1) % 2 ** 32
      const changeCount = round === largeRound ? nameCount : changesPerRound
      for (let i = 0; i < changeCount; i += 1) {
        const n = dice.below(2 * nameCount)
        if (!names.delete(n) || dice.below(2) === 0) names.set(n, 1 + dice.below(200))
      }
      await peer.change(zoneText(apex, serial, names))
      const seen: string[] = []
      const response = await until(
        async () => {
          const response = await transferFrom(own, apex)
          seen.push(afterTransfer([], response).join('\n'))
          return response
        },
        found => toSerial(found) === serial,
      )
      const present = await versionFrom(peer, apex)
      versions.add(present.join('\n'))
      t.same(afterTransfer([], response), present, `serial ${serial}`)
      t.ok(
        seen.every(version => versions.has(version)),
        'nothing between two versions',
      )
    }
  })
}
