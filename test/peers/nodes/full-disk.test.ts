import t from 'tap'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { nodesOver } from '../../helpers/nodes.ts'
import { Postgres } from '../../helpers/postgres.ts'
import { fill, makeRoom, mounts, smallDisk } from '../../helpers/small-disk.ts'

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
