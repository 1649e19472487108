import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import type { Appliance } from '../../helpers/appliance.ts'
import { depth } from '../../helpers/depth.ts'
import { NodeWriters } from '../../helpers/node-writers.ts'
import { openNodes } from '../../helpers/nodes.ts'
import type { Postgres } from '../../helpers/postgres.ts'
import { queryAddresses } from '../../helpers/query.ts'
import { until } from '../../helpers/until.ts'
import { afterTransfer, kindOf, toSerial, transferFrom } from '../../helpers/zone-difference.ts'

const address = '192.0.2.1'

const failoverCount = depth > 1 ? 10 : 3

t.test(
  `${failoverCount} failovers lose nothing that was acknowledged, and DNS goes on`,
  async t => {
    const cluster = await openNodes(t)
    const nodes = await Promise.all(['zw1', 'zw2'].map(name => cluster.start(name)))
    await nodes[0]?.liftQuotas()
    const writers = await NodeWriters.begin(nodes, 'example.com.')
    await writers.more()
    let isOver = false
    let unanswered = 0
    const ask = async (node: Appliance) => {
      for (; !isOver; await delay(5))
        unanswered += Number(!(await writers.isAnswered(node, 'w0-0')))
    }
    for (const node of nodes) await until(() => writers.isAnswered(node, 'w0-0'))
    const asking = nodes.map(ask)
    let primary = cluster.postgres
    let standby = primary.standbys[0] as Postgres
    for (let i = 0; i < failoverCount; i += 1) {
      await primary.kill()
      const gap = writers.startGap()
      const killedAt = performance.now()
      await standby.promote()
      const promotedAt = performance.now()
      await primary.follow(standby)
      await writers.more()
      const gapMs = gap()
      const behindMs = killedAt + gapMs - promotedAt
      t.comment(
        `written again after ${gapMs.toFixed()} ms, ${behindMs.toFixed()} behind the promotion`,
      )
      const [killed, promoted] = [primary, standby]
      primary = promoted
      standby = killed
    }
    isOver = true
    await Promise.all(asking)
    t.equal(unanswered, 0)
    await writers.stop()
    await writers.requireAll(t, nodes)
  },
)

t.test(
  'with PostgreSQL away a node starts from its copy: it answers, and takes changes when it is back',
  async t => {
    const cluster = await openNodes(t)
    const before = await cluster.start('zw1')
    const zone = { name: 'example.com.', email: 'a@example.com' }
    const { id } = await before.json<{ id: string }>('POST', '/v2/zones', zone)
    const path = `/v2/zones/${id}/recordsets`
    const body = { name: 'www.example.com.', type: 'A', records: [address] }
    await before.json('POST', path, body)
    await before.stop()
    await cluster.postgres.kill()
    const node = await cluster.start('zw1')
    t.same(await queryAddresses(node.endpoint(), 'www.example.com.'), [address])
    t.match(await node.request('GET', `/v2/zones/${id}`), { status: 200 })
    const late = { ...body, name: 'late.example.com.' }
    const refused = await node.request('POST', path, late)
    t.equal(refused.status, 503)
    t.ok(refused.headers.get('retry-after'))
    await refused.text()
    await cluster.postgres.restart()
    await until(async () => {
      const response = await node.request('POST', path, late)
      await response.text()
      return response.ok
    })
    t.same(await queryAddresses(node.endpoint(), 'late.example.com.'), [address])
  },
)

t.test(
  'a failover that lost changes: nodes set them aside and go on without a restart, while DNS answers',
  async t => {
    const cluster = await openNodes(t)
    const { postgres } = cluster
    const [standby] = postgres.standbys
    const names = ['zw1', 'zw2']
    const nodes = await Promise.all(
      names.map(name => cluster.start(name, { ZONEWRIGHT_STORE_LOSSY: 'on' })),
    )
    const [first, second] = nodes as [Appliance, Appliance]
    const zone = { name: 'example.com.', email: 'a@example.com' }
    const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
    const path = `/v2/zones/${id}/recordsets`
    const post = (node: Appliance, name: string) =>
      node.json('POST', path, { name: `${name}.example.com.`, type: 'A', records: [address] })
    const answers = (node: Appliance, name: string) =>
      queryAddresses(node.endpoint(), `${name}.example.com.`)
    await post(first, 'kept')
    for (const node of nodes)
      await until(
        () => answers(node, 'kept'),
        found => found.length > 0,
      )
    await standby?.stop()
    await postgres.standAlone()
    await post(second, 'lost')
    for (const node of nodes)
      await until(
        () => answers(node, 'lost'),
        found => found.length > 0,
      )
    const serialOf = async (node: Appliance) =>
      (await node.json<{ serial: number }>('GET', `/v2/zones/${id}`)).serial
    const served = await serialOf(first)
    let isOver = false
    let unanswered = 0
    const ask = async (node: Appliance) => {
      for (; !isOver; await delay(5))
        if ((await answers(node, 'kept')).length === 0) unanswered += 1
    }
    const asking = nodes.map(ask)
    await postgres.kill()
    await standby?.restart()
    await standby?.promote()
    await standby?.standAlone()
    for (const [i, node] of nodes.entries()) {
      await until(
        () => answers(node, 'lost'),
        found => found.length === 0,
      )
      await until(
        () => serialOf(node),
        serial => serial > served,
      )
      const files = readdirSync(cluster.directoryOf(names[i] ?? ''))
      const [lost = ''] = files.filter(file => file.startsWith('lost-'))
      const text = readFileSync(join(cluster.directoryOf(names[i] ?? ''), lost), 'utf8')
      t.match(text, 'lost.example.com.', 'what the log has not is in a file')
      await post(node, `again${i}`)
    }
    for (const node of nodes)
      for (const name of ['kept', 'again0', 'again1'])
        await until(
          () => answers(node, name),
          found => found.length > 0,
        )
    isOver = true
    await Promise.all(asking)
    t.equal(unanswered, 0, 'what was never lost is answered all the time')
  },
)

t.test(
  'a secondary that has a lost version gets the whole zone, even if another version has had its serial since',
  async t => {
    const cluster = await openNodes(t)
    const { postgres } = cluster
    const [standby] = postgres.standbys
    const start = (name: string) => cluster.start(name, { ZONEWRIGHT_STORE_LOSSY: 'on' })
    const apex = 'example.com.'
    const first = await start('zw1')
    const other = await start('zw2')
    const attributes = { allow_transfer: '127.0.0.1' }
    const zone = { name: apex, email: 'a@example.com', attributes }
    const { id } = await first.json<{ id: string }>('POST', '/v2/zones', zone)
    const post = (node: Appliance, name: string) =>
      node.json('POST', `/v2/zones/${id}/recordsets`, { name, type: 'A', records: [address] })
    // Serials of a zone that changes more often than every second are ahead of the clock.
    for (let i = 0; i < 60; i += 1) await post(first, `kept${i}`)
    await other.stop()
    await standby?.stop()
    await postgres.standAlone()
    for (const name of ['lost0', 'lost1']) await post(first, name)
    const had = await transferFrom(first.endpoint(), apex)
    await first.kill()
    await postgres.kill()
    await standby?.restart()
    await standby?.promote()
    await standby?.standAlone()
    const again = await start('zw2')
    const serialOf = async () => toSerial(await transferFrom(again.endpoint(), apex))
    for (let i = 0; (await serialOf()) <= toSerial(had); i += 1) await post(again, `other${i}`)
    const before = await serialOf()
    await start('zw1')
    await until(serialOf, serial => serial > before)
    const response = await transferFrom(again.endpoint(), apex, toSerial(had))
    t.equal(kindOf(response), 'zone')
    const present = await transferFrom(again.endpoint(), apex)
    t.same(afterTransfer([], response), afterTransfer([], present))
  },
)
