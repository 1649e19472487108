import t from 'tap'
import { plain } from '../../../src/api/dialect.ts'
import { nodeRoutes } from '../../../src/api/dns/nodes.ts'
import type { Node } from '../../../src/cluster/cluster.ts'
import { startApi } from '../../helpers/api.ts'

const node: Node = {
  ...{ name: 'zw1', url: 'http://192.0.2.1:9001', version: '1', settings: 'ab', link: '9b' },
  ...{
    clockAheadSeconds: -0.25,
    lsn: 8,
    hasDuty: true,
    isLive: true,
    seenSecondsAgo: 0.123,
    meteredUntil: null,
    isCopyBehind: false,
    problem: undefined,
  },
}
const gone = { ...node, name: 'zw2', lsn: 5, hasDuty: false, isLive: false, seenSecondsAgo: 61 }
const late = { ...node, name: 'zw3', problem: 'the clock is off', isCopyBehind: true }

t.test(
  'nodes are shown with how far they are behind, and one that is gone is forgotten',
  async t => {
    let nodes: readonly Node[] = [node, gone, late]
    const cluster = {
      nodes: () => nodes,
      async remove(name: string) {
        const found = nodes.find(each => each.name === name)
        if (found === undefined) return 'unknown'
        if (found.isLive) return 'live'
        nodes = nodes.filter(each => each !== found)
        return undefined
      },
    }
    const mounts = () => [{ base: '/v2', dialect: plain, routes: nodeRoutes(cluster) }]
    const api = await startApi(t, { mounts })
    const { body } = await api.admin.get('/v2/nodes')
    t.match(body.nodes, [
      {
        name: 'zw1',
        status: 'UP',
        has_duty: true,
        commits_behind: 0,
        seen_seconds_ago: 0.1,
        clock_ahead_seconds: -0.25,
        problem: null,
        copy_behind: false,
      },
      { name: 'zw2', status: 'GONE', has_duty: false, commits_behind: 3, metered_until: null },
      { name: 'zw3', problem: 'the clock is off', copy_behind: true },
    ])
    t.equal((await api.admin.delete('/v2/nodes/zw1')).status, 409)
    t.equal((await api.admin.delete('/v2/nodes/zw2')).status, 204)
    t.equal((await api.admin.delete('/v2/nodes/zw2')).status, 404)
    const member = await api.clientOf({ project: 'one' })
    t.equal((await member.get('/v2/nodes')).status, 401)
  },
)

t.test('an answer waits for what others have written, or says how old it may be', async t => {
  const asked: (() => void)[] = []
  let stale: { readonly staleSeconds: number } | undefined
  const caughtUp = () => new Promise<typeof stale>(resolve => asked.push(() => resolve(stale)))
  let nodes: readonly Node[] = []
  const cluster = { nodes: () => nodes, remove: async () => undefined }
  const mounts = () => [{ base: '/v2', dialect: plain, routes: nodeRoutes(cluster) }]
  const api = await startApi(t, { mounts, caughtUp })
  const first = api.admin.get('/v2/nodes')
  while (asked.length === 0) await new Promise(setImmediate)
  nodes = [node]
  asked.shift()?.()
  const { body, headers } = await first
  t.equal(body.nodes.length, 1)
  t.equal(headers.get('zonewright-stale'), null)
  stale = { staleSeconds: 12 }
  const second = api.admin.get('/v2/nodes')
  while (asked.length === 0) await new Promise(setImmediate)
  asked.shift()?.()
  t.equal((await second).headers.get('zonewright-stale'), '12')
  t.equal((await api.anonymous.get('/healthz')).status, 200, 'whatever the others do')
  t.equal(asked.length, 0)
})
