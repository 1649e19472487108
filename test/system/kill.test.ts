import t from 'tap'
import { Appliance } from '../helpers/appliance.ts'
import { depth } from '../helpers/depth.ts'
import { inParallel } from '../helpers/in-parallel.ts'
import { Ledger } from '../helpers/ledger.ts'
import { queryAddresses } from '../helpers/query.ts'
import { seededRandom } from '../helpers/random.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// An acknowledged change survives kill -9 at any instant: fifty writers change recordsets of their own
// while the process is killed after a random number of acknowledgements, and what the next process serves,
// over the API and over DNS, must be what was acknowledged. A change that was under way when the process
// died may be there or not, but never in part.

const zoneCount = Math.min(200 * depth, 1000)
const recordsetsPerZone = 10
const writerCount = 50
const roundCount = 4 * depth
const setUpClients = 32

/** Of many rounds. */
const timeout = 20 * 60_000

t.setTimeout(timeout)
t.test(
  'kill -9 under 50 writers loses no acknowledged change, several times over',
  { timeout },
  async t => {
    const seed = Date.now() % 100_000
    t.comment(`seed ${seed}`)
    const random = seededRandom(seed)
    const dataDirectory = serverFolder(t)
    let server = await Appliance.start({ dataDirectory })
    t.teardown(() => server.kill())
    await server.liftQuotas()
    const zones = await createZones(server)
    const ledger = new Ledger(zones)
    await inParallel(setUpClients, zones, async zone => {
      for (let i = 0; i < recordsetsPerZone; i += 1) {
        await ledger.create(server, zone, { name: `host-${i}.${zone.name}`, octet: i })
      }
    })

    for (let round = 1; round <= roundCount; round += 1) {
      const killAfter = 20 + Math.floor(random() * 400)
      await writeUntilKilled(server, { ledger, killAfter, random })
      server = await Appliance.start({ dataDirectory })
      const lost = await findLost(server, ledger)
      t.same(lost, [], `round ${round}: all of it is there after a kill at ${killAfter} changes`)
    }
    t.equal(await server.stop(), 0, 'and it still stops in order')
  },
)

type ZoneBody = { readonly id: string; readonly name: string }

async function createZones(server: Appliance): Promise<ZoneBody[]> {
  const names = Array.from({ length: zoneCount }, (_, i) => `zone-${i}.example.`)
  return inParallel(setUpClients, names, name =>
    server.json<ZoneBody>('POST', '/v2/zones', { name, email: 'ops@example.net' }),
  )
}

/** Fifty writers, each on recordsets of its own; resolves when the process is dead and all of them know. */
async function writeUntilKilled(
  server: Appliance,
  run: { ledger: Ledger; killAfter: number; random: () => number },
): Promise<void> {
  let acknowledged = 0
  let isDead = false
  let killed: Promise<void> | undefined
  const write = async (writer: number) => {
    while (!isDead) {
      const hasAnswer = await run.ledger.changeSomething(server, { writer, writerCount, ...run })
      if (!hasAnswer) return
      acknowledged += 1
      if (acknowledged === run.killAfter) {
        isDead = true
        killed = server.kill()
      }
    }
  }
  await Promise.all(Array.from({ length: writerCount }, (_, writer) => write(writer)))
  await killed
}

/** The deviations from the acknowledged state, over the API for every recordset, and over DNS for those changed last. */
async function findLost(server: Appliance, ledger: Ledger): Promise<string[]> {
  const lost: string[] = []
  await inParallel(setUpClients, ledger.zones, async zone => {
    const path = `/v2/zones/${zone.id}/recordsets?limit=max&type=A`
    const { recordsets } = await server.json<{ recordsets: { id: string; records: string[] }[] }>(
      'GET',
      path,
    )
    lost.push(...ledger.differences(zone, recordsets))
  })
  for (const { name, addresses } of ledger.takeLastChanged()) {
    const served = (await queryAddresses(server.endpoint(), name)).join()
    if (served !== addresses) lost.push(`${name} is answered with '${served}', not '${addresses}'`)
  }
  return lost
}
