import { Type } from 'typebox'
import type { Cluster, Node } from '../../cluster/cluster.ts'
import { ApiError } from '../../errors.ts'
import { quote } from '../../model/quote.ts'
import { listOf } from '../openapi/fields.ts'
import { type Route, route } from '../route.ts'
import { nodeAnswer } from './answers.ts'

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
    copy_behind: node.isCopyBehind,
    settings: node.settings,
    metered_until: node.meteredUntil,
  }
}
