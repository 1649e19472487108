import { readFileSync } from 'node:fs'
import t from 'tap'
import { checkData, describeCheck, isClean } from '../../src/cli/check.ts'
import { loadConfig } from '../../src/config/config.ts'
import { Appliance } from '../helpers/appliance.ts'
import { CrowdClient, CrowdLog, crowdQuota } from '../helpers/crowd.ts'
import { Dice } from '../helpers/dice.ts'
import { newMember } from '../helpers/members.ts'
import { serverFolder } from '../helpers/server-folder.ts'

// Sixty-four clients of two projects create, change, hand over and delete the same few zones and recordsets. No client
// ever gets a server error, or sees a name twice or more than the quotas allow, and the stored data is consistent with
// itself and with the answers: several times meanwhile, at the end, and on the disk afterwards.
//
// Here for a few seconds; CROWD_SECONDS=60 makes it a minute.

const clientCount = 64
const stepsInAll = 1200
const seconds = Number(process.env.CROWD_SECONDS ?? 0)
/** Meanwhile, at least; one after the other, as long as it takes. */
const minChecks = 5

const timeout = (600 + 3 * seconds) * 1000

t.setTimeout(timeout)
t.test('a crowd of clients breaks nothing', { timeout }, async t => {
  const seed = Date.now() % 100_000
  t.comment(`seed ${seed}`)
  const dataDirectory = serverFolder(t)
  const server = await Appliance.start({ dataDirectory })
  t.teardown(() => server.kill())
  const members = [await newMember(server, 'one'), await newMember(server, 'two')] as const
  for (const { projectId } of members) {
    await server.json('PATCH', `/v2/quotas/${projectId}`, crowdQuota)
  }
  const log = new CrowdLog()
  const clients = Array.from({ length: clientCount }, (_, i) => {
    const [member, other] = i % 2 === 0 ? members : members.toReversed()
    if (member === undefined || other === undefined) throw new Error('there are two')
    return new CrowdClient({ member, other, dice: new Dice(seed + i), log })
  })

  let stepsLeft = stepsInAll
  const endsAtMs = performance.now() + seconds * 1000
  const isLong = () => (seconds > 0 ? performance.now() >= endsAtMs : stepsLeft <= 0)
  // In any order of the clients, they eventually conflict.
  const isOver = () => isLong() && (log.hasMetLimits || log.faults.length > 0)
  const run = async (client: CrowdClient) => {
    while (!isOver()) {
      stepsLeft -= 1
      await client.step()
    }
  }
  const running = Promise.all(clients.map(run))
  const found: unknown[] = []
  let checkCount = 0
  while (checkCount < minChecks || !isOver()) {
    found.push(...(await findingsOf(server)))
    checkCount += 1
  }
  await running
  t.same(found, [], `${checkCount} checks meanwhile find nothing`)

  const statuses = [...log.countByStatus].sort(([one], [other]) => one - other)
  t.comment(`${log.answerCount} answers: ${statuses.map(pair => pair.join(' × ')).join(', ')}`)
  t.same(log.faults, [])
  const { zones, zone_recordsets: recordsets, zone_records: records } = crowdQuota
  t.same(log.most, { zones, recordsets, records }, 'the quotas were reached, and not passed')
  t.ok(log.countByStatus.get(413), 'changes were refused for quotas')
  t.ok(log.countByStatus.get(409), 'changes were refused as duplicates')
  t.same(await findingsOf(server), [], 'nor does one at the end')
  t.equal(await server.stop(), 0)
  const readFile = (path: string) => readFileSync(path, 'utf8')
  const config = loadConfig({ environment: {}, argv: [], readFile })
  for (const directory of server.dataDirectories) {
    const onDisk = await checkData(config, directory)
    t.ok(isClean(onDisk), describeCheck(onDisk))
  }
})

async function findingsOf(server: Appliance): Promise<readonly unknown[]> {
  return (await server.json<{ findings: unknown[] }>('POST', '/admin/check')).findings
}
