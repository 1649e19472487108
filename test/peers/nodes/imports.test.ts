import t from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { openNodes } from '../../helpers/nodes.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'

// Imports at a node, while others start and when it dies.

const tasks = '/v2/zones/tasks/imports'
const recordCount = 50_000
const address = '192.0.2.1'

type Task = { readonly id: string; readonly status: string; readonly message: string | null }

const cluster = await openNodes(t)
const first = await cluster.start('zw1')
const second = await cluster.start('zw2')
await first.liftQuotas()
let zoneCount = 0

function zoneFile(apex: string): string {
  const hosts = Array.from({ length: recordCount }, (_, i) => `h${i} A ${address}`)
  return `$ORIGIN ${apex}\n$TTL 300\n@ SOA ns a 1 3600 600 86400 300\n@ NS ns\nns A ${address}\n${hosts.join('\n')}\n`
}

function signal({ pid }: Appliance, name: NodeJS.Signals): void {
  process.kill(pid as number, name)
}

/** Begins an import at a node and stops the node while it is under way. */
async function interrupted(node: Appliance, other: Appliance) {
  for (;;) {
    zoneCount += 1
    const apex = `zone${zoneCount}.example.`
    const zonefile = zoneFile(apex)
    const { id } = await node.json<Task>('POST', tasks, { zonefile })
    signal(node, 'SIGSTOP')
    const { status } = await other.json<Task>('GET', `${tasks}/${id}`)
    if (status === 'PENDING') return { id, apex }
    signal(node, 'SIGCONT')
  }
}

/** When a node was last seen by the others. */
async function seenAt(node: string, interval: string): Promise<void> {
  await cluster.postgres.psql(
    `update zw_node set seen_at = now() + interval '${interval}' where node = '${node}'`,
  )
}

t.test('the start of another node leaves an import alone', async t => {
  const { id, apex } = await interrupted(first, second)
  // However long the start takes.
  await seenAt('zw1', '1 day')
  const third = await cluster.start('zw3')
  t.match(await third.json<Task>('GET', `${tasks}/${id}`), { status: 'PENDING' })
  signal(first, 'SIGCONT')
  const task = await until(
    () => third.json<Task>('GET', `${tasks}/${id}`),
    ({ status }) => status !== 'PENDING',
  )
  if (task.status === 'COMPLETE') {
    for (const node of [first, second, third])
      t.same(
        await until(
          () => queryAddresses(node.endpoint(), `h${recordCount - 1}.${apex}`),
          found => found.length > 0,
        ),
        [address],
      )
    return
  }
  // The node was stopped during its turn, and the server has given the turn to another.
  t.match(task, { status: 'ERROR', message: 'The changes were not taken. Import the file again.' })
})

t.test('the import of a node that dies ends, and its zone goes', async t => {
  const { id, apex } = await interrupted(first, second)
  await first.kill()
  await seenAt('zw1', '-2 minutes')
  const task = await until(
    () => second.json<Task>('GET', `${tasks}/${id}`),
    ({ status }) => status !== 'PENDING',
  )
  t.match(task, { status: 'ERROR', message: 'The server was restarted during the import.' })
  await until(async () => {
    const { zones } = await second.json<{ zones: readonly unknown[] }>(
      'GET',
      `/v2/zones?name=${apex}`,
    )
    return zones.length === 0
  })
  await second.json('POST', '/v2/zones', { name: apex, email: 'a@example.com' })
})
