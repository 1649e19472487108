import { Type } from 'typebox'
import type { Cluster, Node } from '../../cluster/cluster.ts'
import { ApiError } from '../../errors.ts'
import { quote } from '../../model/quote.ts'
import { flag, listOf, number, oneOf, orNull, text, whole } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'

const nodeAnswer = Type.Object(
  {
    name: text('zw1'),
    url: text('http://192.0.2.1:9001'),
    version: text('0.1.0'),
    status: oneOf('UP', 'GONE'),
    has_duty: flag,
    seen_seconds_ago: number(0.7),
    clock_ahead_seconds: number(0.002),
    problem: orNull(text('the clock of this node is 75.2 s ahead of that of PostgreSQL')),
    lsn: whole(4711),
    link: text('9b74c9897bac770ffc029102a200c5de'),
    commits_behind: whole(0),
    settings: text('d7a8fbb307d78094'),
    metered_until: orNull(whole(498_682)),
  },
  { title: 'Node' },
)

/** The servers that share a store. */
export function nodeRoutes(cluster: Pick<Cluster, 'nodes' | 'remove'>): readonly Route[] {
  return [
    route('GET /nodes', {
      rule: 'find_nodes',
      summary: 'Lists the nodes that share the store; none where it is of this server alone',
      answers: { 200: Type.Object({ nodes: listOf(nodeAnswer) }) },
      respond() {
        const nodes = cluster.nodes()
        const end = Math.max(0, ...nodes.map(({ lsn }) => lsn))
        return { nodes: nodes.map(node => nodeView(node, end)) }
      },
    }),
    route('DELETE /nodes/:node_name', {
      rule: 'delete_node',
      summary: 'Forgets a node that is not to come back',
      answers: { 204: null },
      refusals: ['not_found', 'conflict'],
      async respond({ parameters }) {
        const { node_name: name = '' } = parameters
        const problem = await cluster.remove(name)
        if (problem === 'unknown')
          throw new ApiError('not_found', `There is no node ${quote(name)}`)
        if (problem === 'live') {
          const message = `${quote(name)} was seen within the last minute: stop it first`
          throw new ApiError('conflict', message)
        }
      },
    }),
  ]
}

function nodeView(node: Node, end: number): object {
  return {
    name: node.name,
    url: node.url,
    version: node.version,
    status: node.isLive ? 'UP' : 'GONE',
    has_duty: node.hasDuty,
    seen_seconds_ago: Math.round(node.seenSecondsAgo * 10) / 10,
    clock_ahead_seconds: node.clockAheadSeconds,
    problem: node.problem ?? null,
    lsn: node.lsn,
    link: node.link,
    commits_behind: end - node.lsn,
    settings: node.settings,
    metered_until: node.meteredUntil,
  }
}
