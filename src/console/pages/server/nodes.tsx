import { useState } from 'preact/hooks'
import { forgetNode, listNodes, type Node } from '../../api/nodes.ts'
import { type Point, usePoints } from '../../live/points.ts'
import { texts } from '../../texts.ts'
import { Card } from '../../ui/card.tsx'
import { Confirmation } from '../../ui/confirmation.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Complaint } from '../../ui/field.tsx'
import { usePolled } from '../../ui/loaded.ts'
import { formatNumber } from '../../ui/numbers.ts'

const say = texts.nodes
const everyMs = 2_000

/** The servers that share the store, and the threads of this one that answer. */
export function Nodes() {
  const { value: nodes, error, reload } = usePolled(listNodes, everyMs)
  const { points, error: failure } = usePoints()
  return (
    <div class="scrolls fill">
      <div class="cards">
        <Complaint text={error ?? failure} />
        {nodes?.length === 0 && <p class="empty">{say.alone}</p>}
        {nodes !== undefined && nodes.length > 0 && (
          <Card title={say.title} explain={say.explain}>
            <NodeTable nodes={nodes} onForgotten={reload} />
          </Card>
        )}
        {points.length > 0 && <Threads points={points} />}
      </div>
    </div>
  )
}

type NodeTableProps = { readonly nodes: readonly Node[]; readonly onForgotten: () => void }

function NodeTable({ nodes, onForgotten }: NodeTableProps) {
  const [leaving, setLeaving] = useState<Node>()
  const usual = (nodes.find(node => node.has_duty) ?? nodes[0])?.settings
  return (
    <>
      <DataTable
        label={say.title}
        rows={nodes}
        keyOf={({ name }) => name}
        columns={[
          {
            title: say.name,
            cell: node => (
              <>
                <strong>{node.name}</strong>
                {node.has_duty && <span class="tag">{say.duty}</span>}
                <div class="faint">{node.url}</div>
              </>
            ),
          },
          { title: texts.zones.status, cell: node => <NodeStatus {...node} /> },
          {
            title: say.behind,
            isNumber: true,
            cell: node => formatNumber(node.commits_behind),
          },
          { title: say.seen, isNumber: true, cell: node => say.ago(node.seen_seconds_ago) },
          { title: say.version, cell: ({ version }) => version },
          {
            title: say.settings,
            cell: ({ settings }) => (
              <>
                <code>{settings.slice(0, 8)}</code>
                {settings !== usual && <div class="status error">{say.differs}</div>}
              </>
            ),
          },
        ]}
        actions={node => [
          node.status === 'GONE' && {
            text: say.forget,
            label: say.forgetNode(node.name),
            isDangerous: true,
            run: () => setLeaving(node),
          },
        ]}
      />
      {leaving !== undefined && (
        <Confirmation
          title={say.forgetTitle(leaving.name)}
          text={say.forgetExplain}
          action={say.forget}
          onClose={() => setLeaving(undefined)}
          run={() => forgetNode(leaving).then(onForgotten)}
        />
      )}
    </>
  )
}

function NodeStatus({ status, commits_behind: behind, copy_behind, problem }: Node) {
  if (status === 'GONE') return <span class="status error">{say.gone}</span>
  if (problem !== null)
    return (
      <span class="status error" title={problem}>
        {say.refusing}
      </span>
    )
  if (copy_behind) return <span class="status error">{say.copyBehind}</span>
  if (behind > 0) return <span class="status pending">{say.catchingUp}</span>
  return <span class="status good">{say.up}</span>
}

/** The responses per second of each answering thread between the last two readings. */
function Threads({ points }: { readonly points: readonly Point[] }) {
  const { rates, figures } = points.at(-1) as Point
  const rows = [...rates.thread]
  const busiest = Math.max(1, ...rows.map(([, rate]) => rate))
  return (
    <Card title={say.threads} explain={say.restarts(figures.threadRestarts)}>
      <DataTable
        label={say.threads}
        rows={rows}
        keyOf={([thread]) => thread}
        columns={[
          { title: say.thread, cell: ([thread]) => thread },
          {
            title: texts.live.total,
            cell: ([thread, rate]) => (
              <span class="share">
                <meter min={0} max={busiest} value={rate} aria-label={say.threadOf(thread)} />
                {formatNumber(rate, 1)}
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}
