import t from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { nodesOver, openNodes } from '../../helpers/nodes.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { fill, makeRoom, mounts, smallDisk } from '../../helpers/small-disk.ts'
import { until } from '../../helpers/until.ts'

t.test('while the disk of PostgreSQL is full nothing is written', { skip: !mounts }, async t => {
  const parent = smallDisk(t, 160)
  const postgres = await Postgres.start({
    parent,
    settings: { synchronous_standby_names: 'ANY 1 (*)' },
  })
  t.teardown(() => postgres.close())
  await postgres.standby()
  const cluster = nodesOver(t, postgres)
  const nodes = [await cluster.start('zw1'), await cluster.start('zw2')]
  const writers = await NodeWriters.begin(nodes, 'full.example.')
  await writers.more()
  fill(parent)
  await writers.moreRefused()
  for (const node of nodes) t.ok(await writers.isAnswered(node, 'w0-0'), 'DNS goes on')
  makeRoom(parent)
  await writers.more()
  await writers.stop()
  await writers.requireAll(t, nodes)
})

t.test(
  'a node whose own disk is full goes on, and says that its copy is behind',
  { skip: !mounts },
  async t => {
    const directory = smallDisk(t, 64)
    const cluster = await openNodes(t)
    const own = { ZONEWRIGHT_DATA_DIR: directory }
    const full = await cluster.start('zw1', own)
    const other = await cluster.start('zw2')
    const isBehind = async (node: Appliance) => {
      const { nodes } = await node.json<{
        nodes: readonly { readonly name: string; readonly copy_behind: boolean }[]
      }>('GET', '/v2/nodes')
      return nodes.find(({ name }) => name === 'zw1')?.copy_behind
    }
    const writers = await NodeWriters.begin([full, other], 'full.example.')
    await writers.more()
    await until(
      () => isBehind(other),
      found => found === false,
    )
    fill(directory)
    for (const node of [full, other]) await until(() => isBehind(node))
    await writers.more()
    await writers.stop()
    await writers.requireAll(t, [full, other])
    makeRoom(directory)
    await full.kill()
    const again = await cluster.start('zw1', own)
    await until(
      () => isBehind(other),
      found => found === false,
    )
    await writers.requireAll(t, [again])
  },
)
